import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { operationEntries } from '../../lib/operations.ts';
import { generateClient } from '../../openapi/generateClient.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import {
  type Document,
  dogs,
  idempotencyKey,
  inPath,
  json,
  list,
  listVisits,
  type Row,
  row,
  type Schema,
} from './dogsDocument.ts';

const run = promisify(execFile);

/** Builds the client of a document. */
async function buildClient(document: Document): Promise<string> {
  const folder = await temporaryFolder();
  await cp('client/src', folder, { recursive: true });
  await writeFile(join(folder, 'generated.ts'), generateClient(document));
  return folder;
}

const options = { baseAddress: 'http://dogs.example/v1', apiKey: 'key' };

describe('the client of another document', async () => {
  const folder = await buildClient(dogs);
  const { createPetStoreClient } = await import(pathToFileURL(join(folder, 'index.ts')).href);

  const visit =
    '{"id":1,"vetId":9223372036854775807,"kind":"check","tags":[],"isPaid":true,"dog":{"id":1}}';

  /** Creates a client whose requests get these responses in turn. */
  function connect(
    ...responses: [status: number, text: string | null, headers?: Record<string, string>][]
  ) {
    const fetch = vi.fn(async (_address: string, _init: RequestInit) => {
      const [status, text, headers = {}] = responses.shift() ?? [500, ''];
      return new Response(text, { status, headers });
    });
    return { client: createPetStoreClient({ ...options, fetch, maxAttempts: 1 }), fetch };
  }

  it('compiles for users who have the strictest settings, and accepts what they may pass', async () => {
    const program = `import { createPetStoreClient, type NewVisit, type Page, type VisitsPage } from './index.ts';
const client = createPetStoreClient(${JSON.stringify(options)});
const sent: NewVisit = { vetId: 7, tags: undefined };
const { data, isReplayed } = await client.createVisit(1, sent, { idempotencyKey: 'key' }).withResponse();
const id: bigint = data.id;
const note: string | undefined = data.note;
const { visits, next }: VisitsPage = await client.listVisits(1n, { vetId: 2n ** 60n, limit: undefined, isPaid: true });
const { dogs }: Page = await client.listDogs();
for await (const { kind } of client.allVisits(id, next ?? {})) console.log(kind === 'operation');
const removed: undefined = await client.removeDog(1);
// @ts-expect-error A response has no number.
const wrong: number = (await client.changeVisit(id, 2, { vetId: id })).vetId;
console.log(isReplayed, note, visits, dogs, removed, wrong);
`;
    await writeFile(join(folder, 'program.ts'), program);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const config = {
      extends: resolve('client/tsconfig.json'),
      compilerOptions: { noEmit: true, rootDir: '.' },
      include: ['.'],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));

    const compiled = run(resolve('node_modules/.bin/tsc'), ['--project', folder]);

    await expect(compiled.catch(({ stdout }) => stdout)).resolves.toMatchObject({ stdout: '' });
  });

  it('removes an item, and resolves to undefined', async () => {
    const { client, fetch } = connect([204, null], [204, null]);

    expect(await client.removeDog(9223372036854775807n)).toBe(undefined);
    expect(fetch.mock.calls).toMatchObject([
      ['http://dogs.example/v1/dogs/9223372036854775807', { method: 'DELETE', headers: {} }],
    ]);
    expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty('body');
    expect(fetch.mock.calls[0]?.[1].headers).not.toHaveProperty('Content-Type');
  });

  it('creates and changes an item below another, with each integer exact', async () => {
    const { client, fetch } = connect([201, visit], [200, visit]);

    const created = await client.createVisit(1, { vetId: 2n ** 63n - 1n });
    await client.changeVisit(1, created.id, { vetId: 7 });

    expect(created.vetId).toBe(2n ** 63n - 1n);
    expect(fetch.mock.calls).toMatchObject([
      [
        'http://dogs.example/v1/dogs/1/visits',
        {
          method: 'POST',
          body: '{"vetId":9223372036854775807}',
          headers: { 'Idempotency-Key': expect.any(String) },
        },
      ],
      ['http://dogs.example/v1/dogs/1/visits/1', { method: 'PATCH', body: '{"vetId":7}' }],
    ]);
    expect(fetch.mock.calls[1]?.[1].headers).not.toHaveProperty('Idempotency-Key');
  });

  it('walks all pages of a list below another item, with its filters', async () => {
    const Link = '</dogs/1/visits?cursor=a>; rel="next"';
    const { client, fetch } = connect([200, `[${visit}]`, { Link }], [200, `[${visit}]`]);

    expect(await Array.fromAsync(client.allVisits(1, { vetId: 2n ** 60n }))).toHaveLength(2);
    const query = 'vetId=1152921504606846976&limit=100';
    expect(fetch.mock.calls.map(([address]) => address)).toEqual([
      `http://dogs.example/v1/dogs/1/visits?${query}`,
      `http://dogs.example/v1/dogs/1/visits?${query}&cursor=a`,
    ]);
  });

  it.each([
    ['id', '"1"'],
    ['vetId', '1.5'],
    ['kind', 'null'],
    ['tags', '{}'],
    ['isPaid', '"true"'],
    ['dog', 'null'],
  ])('rejects a response with a wrong %s', async (name, value) => {
    const wrong = visit.replace(RegExp(`(?<="${name}":)(\\{.*?\\}|[^,}]+)`), value);
    const { client } = connect([200, wrong]);

    await expect(client.changeVisit(1, 2, { vetId: 7 })).rejects.toMatchObject({
      code: 'unexpected_response',
    });
  });
});

describe('client/src/generated.ts', async () => {
  const generated = await readFile('client/src/generated.ts', 'utf8');
  const methods = [...generated.matchAll(/^ {2}\/\*\*(?:(?!\*\/).)*\*\/\n {2}(\w+)\(/gms)];
  const commentOf = (name: string) => methods.find(([, method]) => method === name)?.[0];

  it.each(operationEntries)('marks %s as deprecated if its row does', (name, { deprecation }) => {
    expect(commentOf(name)?.includes('@deprecated')).toBe(deprecation !== undefined);
  });
});

describe('generateClient', () => {
  const withRow = (changed: Row): Document => ({
    ...dogs,
    paths: { ...dogs.paths, '/x': { get: changed } },
  });
  const withMember = (schema: Schema): Document => {
    const { schemas } = dogs.components;
    return { ...dogs, components: { schemas: { ...schemas, Dog: { properties: { x: schema } } } } };
  };

  it('names methods of the client in its texts, and not their paths', () => {
    expect(generateClient(dogs)).toContain(
      '   * @deprecated Since 2030. Use `changeVisit` instead.',
    );
  });

  it.each([
    ['a number', withMember({ type: 'number' }), 'The client has no type for Dog.x'],
    [
      'a value of several types',
      withMember({ type: ['string', 'null'] }),
      'The client has no type for Dog.x',
    ],
    [
      'a body without a name',
      withRow(row('getX', { responses: { 200: json({}) } })),
      'A body of getX has no name',
    ],
    [
      'an id that is a text',
      withRow(row('getX', { parameters: [inPath('x', { type: 'string' })] })),
      'The client cannot send x of getX.',
    ],
    [
      'a header',
      withRow(row('getX', { parameters: [{ ...idempotencyKey, name: 'X' }] })),
      'The client cannot send X of getX.',
    ],
    [
      'a list without pages',
      withRow(row('listX', { responses: { 200: list('Dog') } })),
      'listX is a list',
    ],
    [
      'a list of another name',
      withRow({ ...listVisits, operationId: 'findVisits' }),
      'findVisits is a list',
    ],
    [
      'two methods of one name',
      withRow(row('allVisits', {})),
      'The client would have allVisits twice',
    ],
    [
      'two types of one name',
      { ...dogs, components: { schemas: { ...dogs.components.schemas, VisitsPage: {} } } },
      'The client would have VisitsPage twice',
    ],
    [
      'a creation that a retry would repeat',
      { ...dogs, paths: { '/x': { post: row('createX', {}) } } },
      'createX takes no Idempotency-Key',
    ],
  ])('throws for %s', (_, document, message) => {
    expect(() => generateClient(document)).toThrow(message);
  });
});
