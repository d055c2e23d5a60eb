import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { bundleFunction } from '../../infra/bundle/bundleFunctions.ts';
import { symbolicate as command } from '../../infra/tools/symbolicate.ts';
import { restEvent } from '../helpers/api.ts';
import { lambdaEnvironment, load, runBundle } from '../helpers/runBundle.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const folder = mkdtempSync(join(tmpdir(), 'petstore-symbolicate-'));
let hash = '';
/** The log line of a request that failed inside the minified bundle. */
let line = '';

function symbolicate(input: string, ...args: string[]) {
  const stdin = Readable.from([Buffer.from(input)]) as typeof process.stdin;
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin);
  return runCommandHere(command, ['--maps', folder, ...args]);
}

beforeAll(async () => {
  const bundle = await bundleFunction('getPet', join(folder, 'getPet'));
  hash = bundle.hash;
  writeFileSync(join(folder, `${hash}.map`), bundle.sourceMap);
  const { stdout, stderr } = await runBundle(
    join(folder, 'getPet'),
    `${load} await handler(JSON.parse(process.env.EVENT), {});`,
    {
      ...lambdaEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbEndpoint'),
      EVENT: JSON.stringify(restEvent({ petId: '1' })),
      FAULT: 'on',
      RELEASE: `1.2.3+8bab64c0d1e2.${hash}`,
    },
  );
  const lines = `${stdout}${stderr}`.split('\n');
  line = lines.find((each) => each.includes('request_failed')) ?? '';
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = 'lib/http/middlewares/injectFault.ts';
const statement = "throw new Error('This version was deployed with FAULT=on.');";
const lineNumber =
  readFileSync(source, 'utf8')
    .split('\n')
    .findIndex((each) => each.trim() === statement) + 1;
/** The position of `new`, then the line of source. */
const faultInSource = expect.stringMatching(
  new RegExp(`\\b${source}:${lineNumber}:13\\)?\n {8}throw new Error\\('This version was deployed`),
);

describe('npm run symbolicate', () => {
  it('turns the stack in a log line of a minified bundle into lines of source', async () => {
    expect(line).toContain('index.mjs:');

    const { exitCode, stdout, stderr } = await symbolicate(line);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^Error: This version was deployed with FAULT=on\.\n/);
    expect(stdout).toEqual(faultInSource);
    expect(stdout).not.toContain('index.mjs');
  });

  it.each([
    ['an indented log line', (text: string) => JSON.stringify(JSON.parse(text), null, 2)],
    ['a stack, and the hash as an option', (text: string) => JSON.parse(text).cause.stack],
    [
      "a crash in Lambda's own log, and the hash as an option",
      (text: string) => JSON.stringify({ stackTrace: JSON.parse(text).cause.stack.split('\n') }),
    ],
    [
      'the cause of a cause',
      (text: string) => JSON.stringify({ cause: { cause: JSON.parse(text).cause } }),
    ],
  ])('reads %s', async (_form, written) => {
    const { stdout } = await symbolicate(written(line), '--bundle', hash);

    expect(stdout).toEqual(faultInSource);
  });

  it.each([
    ['names no bundle', () => '{"stack":"Error"}', 'The input has no release'],
    [
      'has no stack',
      () => JSON.stringify({ release: `1.2.3+unknown.${hash}` }),
      'The input has no stack.',
    ],
    [
      'names a bundle without a source map',
      () => '{"release":"1.2.3+unknown.0123456789ab"}',
      '0123456789ab.map cannot be read. Download the source maps of the release',
    ],
  ])('fails and says what is missing if the input %s', async (_fault, input, message) => {
    const { exitCode, stderr } = await symbolicate(input());

    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  });
});
