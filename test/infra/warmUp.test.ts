import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunction } from '../../infra/bundle/bundleFunction.ts';
import { listen } from '../helpers/listen.ts';
import { lambdaEnvironment, load, runBundle } from '../helpers/runBundle.ts';

const outFolder = mkdtempSync(join(tmpdir(), 'petstore-warm-up-'));
const loadOnly = `${load} console.error(typeof handler); process.exit();`;

/** Lets the 300 ms take another time, which a busy machine does not come too late for, and says so. */
const boundOf = (otherMs: number) => `
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (callback, ms) => {
    if (ms === 300) console.error('bound by 300 ms');
    return setTimeout(callback, ms === 300 ? ${otherMs} : ms);
  };`;

beforeAll(async () => {
  const names = ['createPet', 'listPets'];
  await Promise.all(names.map((name) => bundleFunction(name, join(outFolder, name))));
}, 60_000);

afterAll(() => rmSync(outFolder, { recursive: true, force: true }));

/** A database that counts who comes, and has no items or no answers. */
async function startDatabase({ isSilent }: { isSilent: boolean }) {
  const seen = { connections: 0, actions: [] as string[] };
  const server = createServer((request, response) => {
    seen.actions.push(String(request.headers['x-amz-target']));
    if (!isSilent) response.end('{}');
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  return { seen, endpoint: await listen(server) };
}

describe('warmUp', () => {
  it.each([
    ['createPet', 1],
    ['listPets', 3],
  ])('of %s makes its %d connections before the first request', async (name, count) => {
    const { seen, endpoint } = await startDatabase({ isSilent: false });

    const run = await runBundle(join(outFolder, name), boundOf(30_000) + loadOnly, {
      ...lambdaEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    });

    expect(run).toEqual({ exitCode: 0, stdout: '', stderr: 'bound by 300 ms\nfunction\n' });
    expect(seen).toEqual({
      connections: count,
      actions: Array(count).fill('DynamoDB_20120810.GetItem'),
    });
  });

  it('lets the init phase end after 300 ms where DynamoDB is silent, without a word', async () => {
    const { seen, endpoint } = await startDatabase({ isSilent: true });

    const run = await runBundle(join(outFolder, 'createPet'), boundOf(30) + loadOnly, {
      ...lambdaEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    });

    expect(run).toEqual({ exitCode: 0, stdout: '', stderr: 'bound by 300 ms\nfunction\n' });
    // The second one would come after 1.5 s.
    expect(seen.actions.length).toBeLessThanOrEqual(1);
  });
});
