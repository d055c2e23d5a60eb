import { execFile, spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createPetStoreClient } from '../../client/src/index.ts';
import { clientSamples } from '../../infra/docs/clientSamples.ts';
import { errorStatuses } from '../../lib/errors.ts';
import { operations } from '../../lib/operations.ts';
import { apiKey } from '../helpers/api.ts';
import { startGateway } from '../helpers/gateway.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { petText } from '../helpers/samplePets.ts';

const run = promisify(execFile);

const { baseAddress } = await startGateway();
const env = { PATH: process.env.PATH, BASE_ADDRESS: baseAddress, API_KEY: apiKey };

beforeAll(async () => {
  const headers = { Authorization: `Bearer ${apiKey}` };
  await fetch(`${baseAddress}/pets`, { method: 'POST', headers, body: petText() });
});

/** Samples of one language, named after their chapter. */
function samplesOf(language: 'sh' | 'ts'): [string, string][] {
  return globSync('docs/guide/*.md').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^```(\w+)\n(.*?)^```/gms)]
      .filter(([, name]) => name === language)
      .map(([, , code = '']): [string, string] => [basename(file), code]),
  );
}

/** Runs TypeScript as a user does, with the client from its source. */
async function runTypeScript(code: string): Promise<string> {
  const file = join(await temporaryFolder(), 'sample.mts');
  await writeFile(file, code.replace("'petstore-client'", `'${resolve('client/src/index.ts')}'`));
  return (await run(process.execPath, [file], { env })).stdout;
}

// Windows may lack them. The gate runs where they are.
const missingCommands = ['bash', 'curl'].filter(
  (command) => spawnSync(command, ['--version']).error,
);
if (missingCommands.length > 0) {
  process.stderr.write(`*** SKIPPED: the shell samples need ${missingCommands.join(', ')}. ***\n`);
}

describe('the guide', () => {
  it.skipIf(missingCommands.length > 0).each(samplesOf('sh'))(
    '%s has shell commands that the service accepts',
    async (_chapter, code) => {
      const { stdout } = await run('bash', ['-euc', code], { env });

      const statuses = [...stdout.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
      expect(statuses.length).toBeGreaterThan(0);
      expect(statuses.filter((status) => !['200', '201'].includes(status ?? ''))).toEqual([]);
      // Attempts with the same Idempotency-Key return one pet.
      expect(new Set(stdout.match(/(?<=^location: ).*/gm)).size).toBeLessThanOrEqual(1);
    },
  );

  it.each(samplesOf('ts'))('%s has TypeScript that runs', async (_chapter, code) => {
    await expect(runTypeScript(code)).resolves.toMatch(/\w/);
  });

  it('shows how JavaScript rounds, in int64.md', async () => {
    const [, code = ''] = samplesOf('ts').find(([chapter]) => chapter === 'int64.md') ?? [];

    expect(code).toContain(`// ${await runTypeScript(code)}`);
  });
});

describe('errors.md', () => {
  it('has every code with its status', () => {
    const rows = readFileSync('docs/guide/errors.md', 'utf8').matchAll(/^\| `(\w+)` \| (\d+) \|/gm);

    const listed = Object.fromEntries([...rows].map(([, code, status]) => [code, Number(status)]));
    expect(listed).toEqual(errorStatuses);
  });
});

describe('the samples of petstore-client', () => {
  it('exist for each operation that the client has', () => {
    const client = createPetStoreClient({ baseAddress, apiKey });

    const names = Object.keys(operations).filter((name) => name in client);
    expect(Object.keys(clientSamples).sort(), 'infra/docs/clientSamples.ts').toEqual(names.sort());
  });

  it.each(Object.entries(clientSamples))('%s runs', async (_operation, code) => {
    await expect(runTypeScript(code)).resolves.toMatch(/\w/);
  });
});
