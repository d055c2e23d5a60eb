import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// Adds GET /pets/count to a copy of the project, as CONTRIBUTING.md says. Its path also matches
// /pets/{petId}, so the copy shows too that fixed segments win.

const copy = mkdtempSync(join(tmpdir(), 'petstore-add-operation-'));
const notCopied = /^(node_modules|\..+|cdk\.out|docs-site|reports|coverage)$/;

beforeAll(() => {
  cpSync('.', copy, {
    recursive: true,
    filter: (source) => !notCopied.test(basename(source) || '.'),
  });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('an operation', () => {
  it('that has only a row and schemas is missing in places that the tests name', async () => {
    insert('lib/schemas.ts', '/** The body of every response of 400', schemas);
    insert('lib/operations.ts', '} as const satisfies', row);
    replace(
      'lib/operations.ts',
      'import { CreatePet',
      'import { CountPetsQuery, PetCount, CreatePet',
    );

    const tests = await runVitest('test/operations.test.ts');
    const openApi = await run('infra/tools/openapi.ts');

    for (const place of [
      'functions/countPets.ts: add its handler',
      'infra/openapi/texts.ts: add its texts and examples',
      'test/functions/countPets.test.ts: add a test that states its permissions',
      'test/functions/countPets.test.ts: add a test that counts its round trips',
      'test/contract/countPets.test.ts: add checks of its interface from outside',
      'client/src/createPetStoreClient.ts: add its method',
      'test/infra/bundleBudgets.json: add the size of its bundle',
    ]) {
      expect(tests.output).toContain(`countPets is missing in ${place}`);
    }
    expect(openApi.exitCode).not.toBe(0);
    expect(openApi.output).toMatch(/countPets.+infra\/openapi\/texts\.ts/s);
  });

  it('is six files: its row, schemas, handler, texts, test and contract check. The client has its own', async () => {
    write('functions/countPets.ts', handler);
    insert('infra/openapi/texts.ts', '} satisfies Record<OperationName', texts);
    insert('infra/openapi/texts.ts', "nameSchema('Error'", schemaTexts);
    replace('infra/openapi/texts.ts', 'NewPet, Pet,', 'NewPet, Pet, PetCount,');
    write('test/functions/countPets.test.ts', test);
    write('test/contract/countPets.test.ts', contractCheck);
    insert('client/src/types.ts', '};\n\n/** An operation of the service', clientType);
    insert('client/src/createPetStoreClient.ts', '  return {\n    listPets', clientMethod);
    insert('client/src/createPetStoreClient.ts', '    listPets: (query', clientMember);
    const handWritten = new Set(edited);
    // A measured figure, not written by hand.
    replace('test/infra/bundleBudgets.json', '{', '{ "countPets": 269000,');
    write('tsconfig.withoutCdk.json', JSON.stringify(typesWithoutCdk));

    const openApi = await run('infra/tools/openapi.ts');
    const [types, tests] = await Promise.all([
      run('node_modules/typescript/bin/tsc', '--project', 'tsconfig.withoutCdk.json'),
      runVitest(
        // The rest of these files is about the other operations.
        ...['--testNamePattern', 'count|path|example'],
        'test/operations.test.ts',
        'test/functions/countPets.test.ts',
        'test/functions/permissions.test.ts',
        'test/contract/countPets.test.ts',
        'test/contract/authentication.test.ts',
        'test/contract/routes.test.ts',
        'test/infra/openApiExamples.test.ts',
      ),
    ]);

    expect([...handWritten].sort()).toEqual([
      'client/src/createPetStoreClient.ts',
      'client/src/types.ts',
      'functions/countPets.ts',
      'infra/openapi/texts.ts',
      'lib/operations.ts',
      'lib/schemas.ts',
      'test/contract/countPets.test.ts',
      'test/functions/countPets.test.ts',
    ]);
    expect(openApi).toEqual({ exitCode: 0, output: '' });
    expect(types).toEqual({ exitCode: 0, output: '' });
    expect(tests.output).toMatch(/Tests +\d{2} passed \| \d+ skipped/);
    expect(tests.exitCode).toBe(0);
    const { paths } = JSON.parse(readFileSync(join(copy, 'openapi.json'), 'utf8'));
    expect(paths['/pets/count'].get.operationId).toBe('countPets');
  });
}, 120_000);

/**
 * The files that depend on the table of operations, and the new tests.
 *
 * The types of the CDK would double the compiler's time. test/infra/permissions.test.ts synthesises.
 */
const typesWithoutCdk = {
  extends: './tsconfig.json',
  include: [
    ...['client/src', 'functions', 'infra/local', 'infra/openapi', 'infra/tools', 'lib'],
    ...['test/client', 'test/contract', 'test/functions/countPets.test.ts'],
  ],
};

const schemas = `/** The query parameters of a count. */
export const CountPetsQuery = z.object({ status: ListPetsQuery.shape.status });

/** The number of pets on the first page of a list. */
export const PetCount = z.object({ count: z.int() });

`;

const row = `  countPets: {
    method: 'GET',
    path: '/pets/count',
    successStatus: 200,
    input: { query: CountPetsQuery },
    output: PetCount,
    access: [{ table: 'pets', action: 'Query', index: 'byStatus' }],
  },
`;

const handler = `import { operationHandler } from '../lib/http/handler.ts';
import { readPetPage } from '../lib/pets/petPages.ts';

export const handler = operationHandler('countPets', async ({ event, input }) => {
  const list = { limit: 100, status: input.query.status };
  const { json } = await readPetPage(list, event.log);
  return { json: JSON.stringify({ count: JSON.parse(json).length }) };
});
`;

const texts = `  countPets: {
    summary: 'Count pets',
    description: 'Returns the number of pets.',
    parameters: {
      status: {
        description: 'Counts only pets with this availability status.',
        schema: { $ref: '#/components/schemas/PetStatus' },
      },
    },
    response: { description: 'The number of pets.', example: { count: 2 } },
  },
`;

const schemaTexts = `nameSchema('PetCount', PetCount, 'A number of pets.', {
  count: { description: 'The number of pets.' },
});

`;

const test = `import { describe, expect, it } from 'vitest';
import { handler as countPets } from '../../functions/countPets.ts';
import { call } from '../helpers/api.ts';
import { accessFaults, measureDatabase } from '../helpers/measureDatabase.ts';
import { permissionsOf } from '../helpers/permissions.ts';

describe('countPets', () => {
  it('queries each status once', async () => {
    await call(countPets, { event: { path: '/v1/pets/count' } });
    const calls = measureDatabase('countPets');

    const { json } = await call(countPets, { event: { path: '/v1/pets/count' } });

    expect(json).toEqual({ count: 0 });
    expect(calls.map(({ action }) => action)).toEqual(['Query', 'Query', 'Query']);
    expect(accessFaults('countPets')).toEqual([]);
  });

  it('only queries pets by status', () => {
    expect(permissionsOf('countPets')).toEqual(['Query pets/byStatus']);
  });
});
`;

const contractCheck = `import { describe, expect, it } from 'vitest';
import { send } from './send.ts';
import { expectError } from './universalRules.ts';

describe('countPets', () => {
  it('counts the pets', async () => {
    const { status, json } = await send('GET', '/pets/count');

    expect(status).toBe(200);
    expect(json).toEqual({ count: expect.any(BigInt) });
  });

  it('takes no other method and no other status', async () => {
    expectError(await send('POST', '/pets/count'), 'method_not_allowed');
    expectError(await send('GET', '/pets/count?status=lost'), 'bad_request', /status/);
  });
});
`;

const clientType = `
  /** Counts the pets. */
  countPets(options?: CallOptions): ResponsePromise<number>;
`;

const clientMember = `    countPets: (options = {}) => dataOf(requestCount(options)),
`;

const clientMethod = `  async function requestCount(options: CallOptions) {
    const address = \`\${petsAddress}/count\`;
    const response = await send({ operation: 'countPets', method: 'GET', address, options });
    const { data, ...rest } = readSuccess(response, isCount);
    return { ...rest, data: Number(data.count) };
  }

  const isCount = (value: unknown): value is { count: bigint } =>
    typeof (value as { count?: unknown }).count === 'bigint';

`;

/** The files that this test changed. */
const edited = new Set<string>();

function write(file: string, text: string): void {
  edited.add(file);
  writeFileSync(join(copy, file), text);
}

function replace(file: string, text: string, replacement: string): void {
  const source = readFileSync(join(copy, file), 'utf8');
  if (!source.includes(text)) throw new Error(`${file} does not contain ${text}`);
  write(
    file,
    source.replace(text, () => replacement),
  );
}

function insert(file: string, before: string, text: string): void {
  replace(file, before, `${text}${before}`);
}

/** One thread, because each one loads the SDK. */
const runVitest = (...files: string[]) =>
  run('node_modules/vitest/vitest.mjs', 'run', '--maxWorkers', '1', ...files);

/** Runs a program of the copy on this Node.js. */
function run(program: string, ...args: string[]): Promise<{ exitCode: number; output: string }> {
  const env = { ...process.env, NO_COLOR: '1' };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: copy, env }, (error, stdout, stderr) => {
      resolve({ exitCode: error ? 1 : 0, output: `${stdout}${stderr}` });
    });
  });
}
