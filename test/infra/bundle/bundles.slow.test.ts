import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { functionNames } from '../../../infra/bundle/bundleFunctions.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { restEvent } from '../../helpers/api.ts';
import { temporaryFolder } from '../../helpers/npmScript.ts';
import { lambdaEnvironment, load, runBundle } from '../../helpers/runBundle.ts';
import { rex } from '../../helpers/samplePets.ts';

// These tests guard what makes the bundles fast, without a clock. `npm run bench` measures the times.

/** The bytes that a bundle may have: room for fields, such as a date, and for each row, but not for another package. */
const maxApiBytes = 261_000 + 1_000 * operationEntries.length;
const maxBytes: Record<string, number> = { heartbeat: 36_000 };
const apiFunctions = functionNames.filter((name) => !(name in maxBytes));

const outFolder = await temporaryFolder();
const folderOf = (name: string) => join(outFolder, name);
const textOf = (folder: string) => readFileSync(join(folder, 'index.mjs'), 'utf8');

// With the umask of a careful user.
beforeAll(() => {
  const command = 'umask 077; exec "$0" tools/run.cjs tools/bundle.ts "$1" --source-maps';
  execFileSync('sh', ['-c', command, process.execPath, outFolder]);
});

const withEngine = {
  ...lambdaEnvironment,
  AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbEndpoint'),
  EVENT: JSON.stringify(restEvent('listPets')),
  NEW_PET: JSON.stringify(restEvent('createPet', { body: rex })),
};

/** Invokes the handler as the runtime client does and prints the status of its response. */
const invoke = `
  const event = JSON.parse(folder.includes('createPet') ? process.env.NEW_PET : process.env.EVENT);
  const { statusCode } = await handler(event, { functionName: 'petstore' });
  console.error(statusCode);`;

/**
 * Copies a bundle without its warm-up, and returns the folder of the copy.
 *
 * On a slow machine, the time limit of the warm-up would abort its requests, which loads other modules.
 */
function copyWithoutWarmUp(name: string): string {
  const folder = folderOf(`${name}-cold`);
  const text = textOf(folderOf(name));
  const cold = text.replace(/await [\w$]+\(\);(?=export\{)/, '');
  expect(cold).not.toBe(text);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.mjs'), cold);
  return folder;
}

it('each budget is of a function', () => {
  expect(functionNames).toEqual(expect.arrayContaining(Object.keys(maxBytes)));
});

describe.each(functionNames)('bundle of %s', (name) => {
  it('has at most the size of its budget', () => {
    expect(readdirSync(folderOf(name))).toEqual(['index.mjs']);
    expect(textOf(folderOf(name)).length).toBeLessThan(maxBytes[name] ?? maxApiBytes);
  });

  it('can be read by every user, even if the umask of its builder is strict', () => {
    const modes = [folderOf(name), join(folderOf(name), 'index.mjs')].map((path) =>
      (statSync(path).mode & 0o777).toString(8),
    );

    expect(modes).toEqual(['755', '644']);
  });

  it('has a source map beside it', () => {
    const { sources } = JSON.parse(readFileSync(join(outFolder, `${name}.map`), 'utf8'));
    const isOwn = (source: string) => RegExp(`^functions/(parts/)?${name}\\.ts$`).test(source);

    expect(sources.filter(isOwn)).toHaveLength(1);
  });

  it('imports no Node.js module, because an import loads all of its lazy parts', () => {
    const text = textOf(folderOf(name));

    expect(text).not.toMatch(/\b(from|require\(|import\(?)\s*["'](node:|https?["'])/);
    expect(text).toContain('process.getBuiltinModule("node:');
  });
});

describe.each(apiFunctions)('bundle of %s, in a Lambda environment', (name) => {
  it('responds without undici', async () => {
    const { stderr } = await runBundle(
      copyWithoutWarmUp(name),
      `${load} ${invoke} console.error(process.moduleLoadList.join('\\n'));`,
      withEngine,
    );

    const [status, ...modules] = stderr.split('\n');
    expect(status).toMatch(/^[2-4]\d\d$/);
    expect(modules).toContain('NativeModule https');
    expect(modules.filter((each) => each.includes('undici'))).toEqual([]);
  });
});

describe('bundle of listPets, in a Lambda environment', () => {
  it('fails at once without credentials and names the variable', async () => {
    const { exitCode, stderr } = await runBundle(folderOf('listPets'), load + invoke, {
      ...withEngine,
      AWS_SECRET_ACCESS_KEY: undefined,
    });

    expect(stderr).toContain('AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set');
    expect(exitCode).toBe(1);
  });
});
