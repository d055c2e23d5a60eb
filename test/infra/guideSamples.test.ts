import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createPetStoreClient } from '../../client/src/index.ts';
import { codeSamples } from '../../infra/docs/codeSamples.ts';
import { createDocsFiles } from '../../infra/docs/docsFiles.ts';
import { errorStatuses } from '../../lib/errors.ts';
import { type OperationName, operationEntries } from '../../lib/operations.ts';
import { apiKey, call } from '../helpers/api.ts';
import { creationOf, creations, exampleRequest } from '../helpers/exampleRequests.ts';
import { functions, startGateway } from '../helpers/gateway.ts';
import { listen } from '../helpers/listen.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { idIn } from '../helpers/samplePets.ts';

const run = promisify(execFile);

const { baseAddress } = await startGateway();

type Sample = { lang: string; label: string; source: string };

/** The document that the page shows. */
const { tags, paths } = await readPage();

async function readPage(): Promise<{
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, { operationId: OperationName; 'x-codeSamples': Sample[] }>>;
}> {
  const server = { url: baseAddress, description: 'The service' };
  const html = (await createDocsFiles({ server, apiKey })).get('/')?.body.toString() ?? '';
  return JSON.parse(/id="configuration">(.*)<\/script>/.exec(html)?.[1] ?? '').content;
}

/** The blocks of one language, by their chapter. */
function blocksOf(language: 'sh' | 'ts'): [chapter: string, code: string][] {
  return tags.flatMap(({ name, description }) =>
    [...description.matchAll(/^```(\w+)\n(.*?)^```/gms)]
      .filter(([, named]) => named === language)
      .map(([, , code = '']): [string, string] => [name, code]),
  );
}

/** The samples of all operations. */
const samples = Object.values(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, 'x-codeSamples': all }) =>
    all.map((sample) => ({ operationId, ...sample })),
  );

/** What runs a sample of each language: the extension of its file, and the command. */
const commands: Record<string, [extension: string, program: string, ...options: string[]]> = {
  bash: ['sh', 'bash', '-eu'],
  javascript: ['mjs', process.execPath],
  python: ['py', 'python3'],
  typescript: ['mts', process.execPath],
};

/** Runs a sample as a user does, with the client from its source. Returns its output. */
async function runSample(
  lang: string,
  code: string,
  env: NodeJS.ProcessEnv = { BASE_ADDRESS: baseAddress, API_KEY: apiKey },
): Promise<string> {
  const [extension, program, ...options] = commands[lang] ?? expect.unreachable(lang);
  const file = join(await temporaryFolder(), `sample.${extension}`);
  await writeFile(file, code.replace("'petstore-client'", `'${resolve('client/src/index.ts')}'`));
  const { PATH } = process.env;
  return (await run(program, [...options, file], { env: { PATH, ...env } })).stdout;
}

// Windows may lack them. The gate runs where they are.
const missing = ['bash', 'curl', 'python3'].filter((name) => spawnSync(name, ['--version']).error);
if (missing.length > 0) {
  process.stderr.write(`*** SKIPPED: the samples that need ${missing.join(', ')}. ***\n`);
}

function canRun(lang: string): boolean {
  const programs = [commands[lang]?.[1] ?? '', ...(lang === 'bash' ? ['curl'] : [])];
  return !programs.some((program) => missing.includes(program));
}

/** Adds what an operation reads or changes, and returns its id. */
async function addSample(name: OperationName): Promise<string> {
  const creation = creationOf(name) ?? expect.unreachable(`no POST for ${name}`);
  // Without the Idempotency-Key of the example: each call adds another one.
  const request = { ...exampleRequest(creation), headers: {} };
  return idIn((await call(functions[creation], request)).text);
}

describe('the guide', () => {
  const [setUp, ...shellSamples] = blocksOf('sh');

  it.skipIf(!canRun('bash'))('first sets the base address and the key', async () => {
    const variables = await runSample('bash', `${setUp?.[1]}env`, {});

    expect(variables).toContain(`BASE_ADDRESS=${baseAddress}\n`);
    expect(variables).toContain(`API_KEY=${apiKey}\n`);
  });

  it.skipIf(!canRun('bash')).each(shellSamples)(
    '%s has shell commands that the service accepts',
    async (_chapter, code) => {
      const output = await runSample('bash', code);

      const statuses = [...output.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
      expect(statuses.length).toBeGreaterThan(0);
      expect(statuses.filter((status) => !['200', '201'].includes(status ?? ''))).toEqual([]);
      // Attempts with the same Idempotency-Key return one pet.
      expect(new Set(output.match(/(?<=^location: ).*/gm)).size).toBeLessThanOrEqual(1);
    },
  );

  it.each(blocksOf('ts'))('%s has TypeScript that runs', async (_chapter, code) => {
    await Promise.all(creations.map(addSample));

    await expect(runSample('typescript', code)).resolves.toMatch(/\w/);
  });

  it('shows how JavaScript rounds, in int64.md', async () => {
    const [, code = ''] = blocksOf('ts').find(([chapter]) => chapter === 'int64') ?? [];

    expect(code).toContain(`// ${await runSample('typescript', code)}`);
  });
});

describe('errors.md', () => {
  it('has every code with its status', () => {
    const rows = readFileSync('docs/guide/errors.md', 'utf8').matchAll(/^\| `(\w+)` \| (\d+) \|/gm);

    const listed = Object.fromEntries([...rows].map(([, code, status]) => [code, Number(status)]));
    expect(listed).toEqual(errorStatuses);
  });
});

describe('the samples of an operation', () => {
  it.each(operationEntries)('are curl, then the client, fetch and Python: %s', (name) => {
    const client = name in createPetStoreClient({ baseAddress, apiKey }) ? ['petstore-client'] : [];

    const own = samples.filter(({ operationId }) => operationId === name);
    expect(own.map(({ label }) => label)).toEqual(['curl', ...client, 'fetch', 'Python']);
  });

  it.each(samples.filter(({ lang }) => canRun(lang)))(
    '$operationId runs as $label when it is copied',
    async ({ operationId, lang, label, source }) => {
      // A sample may change or delete what it names, so each has its own.
      const ownId = await addSample(operationId);

      const output = await runSample(lang, source.replaceAll(/(?<=[/(])1\b/g, ownId));

      expect(output).toMatch(label === 'petstore-client' ? /\w/ : /^(?:HTTP\/1\.1 )?2\d\d\b/);
    },
  );

  it('send every JSON value of an example, and need no method of the client', async () => {
    const sent: unknown[] = [];
    const address = await listen(async (request, response) => {
      sent.push([request.method, request.url, await json(request)]);
      response.end();
    });
    const example = { name: `Rex's "toy": \\ é`, tags: ['a, b', null], isTame: true, age: -1.5 };
    const operation = {
      operationId: 'replacePet',
      parameters: [{ name: 'petId', in: 'path', example: 7 }],
      requestBody: { content: { 'application/json': { example } } },
    };

    const all = codeSamples('PUT', '/pets/{petId}', operation, false);
    const runnable = all.filter(({ lang }) => canRun(lang));
    const env = { BASE_ADDRESS: address, API_KEY: apiKey };
    for (const { lang, source } of runnable) await runSample(lang, source, env);

    expect(all.map(({ label }) => label)).toEqual(['curl', 'fetch', 'Python']);
    expect(sent).toEqual(runnable.map(() => ['PUT', '/pets/7', example]));
  });
});
