import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path/posix';
import { describe, expect, it, type TestContext } from 'vitest';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { expectError, expectStatus, type Received, send } from './send.ts';
import { pathOf, skipUnlessPetsMayBeAdded } from './serviceUnderTest.ts';

// What each collection of openapi.json promises, derived from its operations. A test without a nested
// collection has no cases.

type Described = {
  requestBody?: { content: { 'application/json': { example: object } } };
  responses: Record<string, object>;
};
type Methods = Partial<Record<'get' | 'post', Described>>;

const paths: Record<string, Methods> = openApiDocument.paths;

/** Each collection to which a POST adds items, with the path of an item. */
const collections = Object.entries(paths).flatMap(([path, { post }]) => {
  const itemPath = Object.keys(paths).find((each) => /^\/\{\w+\}$/.test(each.replace(path, '')));
  return post && '201' in post.responses ? [{ path, post, itemPath }] : [];
});
const isReadable = ({ itemPath }: Collection) => Boolean(itemPath && paths[itemPath]?.get);
const nested = collections.filter(({ path }) => path.includes('{'));
const nestedAndListed = nested.filter(({ path }) => paths[path]?.get);

/** Each operation below an item. */
const belowItems = Object.entries(paths)
  .filter(([path]) => path.includes('}/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );

/** The path of the item that a nested path is below. */
const parentPattern = /^.*\}(?=\/)/;

/** The largest int64. */
const unknownId = '9223372036854775807';

type Collection = (typeof collections)[number];

/** The example of a request body, and nothing for an operation without one. */
const exampleBody = ({ requestBody }: Described) =>
  requestBody && { body: JSON.stringify(requestBody.content['application/json'].example) };

/** Adds the example of a collection. A nested collection is below this parent. */
function add({ path, post }: Collection, parentPath = '', key = randomUUID()): Promise<Received> {
  const address = path.replace(parentPattern, parentPath);
  return send('POST', address, { headers: { 'Idempotency-Key': key }, ...exampleBody(post) });
}

/** Adds a parent of a nested collection, and its own parents. Returns its path. */
async function addParent({ path }: Pick<Collection, 'path'>): Promise<string> {
  const [parentItem] = parentPattern.exec(path) ?? [];
  if (!parentItem) return '';
  const parentPath = dirname(parentItem);
  const parent = collections.find((each) => each.path === parentPath) ?? expect.fail(parentPath);
  return itemOf(await add(parent, await addParent(parent)));
}

/** Returns the path of an item that was added. */
function itemOf(added: Received): string {
  expectStatus(added, 201);
  return pathOf(added.headers.get('Location') ?? '');
}

const skip = (context: TestContext) => skipUnlessPetsMayBeAdded(context, 'any');

const nextPathOf = ({ headers }: Received) =>
  pathOf(/<([^>]*)>\s*;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1] ?? '');

describe('an item that is added', () => {
  it.for(collections)('has a Location, where it is read: $path', async (collection, context) => {
    skip(context);

    const added = await add(collection, await addParent(collection));

    const location = itemOf(added);
    if (!isReadable(collection)) return;
    const read = await send('GET', location);
    expectStatus(read, 200);
    expect(read.json).toEqual(added.json);
  });

  it.for(collections)(
    'is the response to each retry, which says so: $path',
    async (collection, context) => {
      skip(context);
      const parent = await addParent(collection);
      const key = randomUUID();
      const added = await add(collection, parent, key);

      const retried = await add(collection, parent, key);

      expect(itemOf(retried), 'the Location; does the item store its token?').toBe(itemOf(added));
      expect(retried.json).toEqual(added.json);
      expect(retried.headers.get('Idempotent-Replayed'), 'Idempotent-Replayed').toBe('true');
    },
  );
});

it.for(nested.filter(isReadable))(
  'an item is found only below its parent: $itemPath',
  async (collection, context) => {
    skip(context);
    const [first, second] = [await addParent(collection), await addParent(collection)];
    const itemPath = itemOf(await add(collection, first));

    expectError(await send('GET', itemPath.replace(first, second)), 'not_found');
    expectStatus(await send('GET', itemPath), 200);
  },
);

it.for(nestedAndListed)(
  'a list and its cursors belong to one parent: $path',
  async (collection, context) => {
    skip(context);
    const [first, second] = [await addParent(collection), await addParent(collection)];
    const itemPath = itemOf(await add(collection, first));
    await add(collection, first);
    const listPath = itemPath.slice(0, itemPath.lastIndexOf('/'));

    const nextPath = nextPathOf(await send('GET', `${listPath}?limit=1`));

    expect((await send('GET', listPath)).json).toHaveLength(2);
    expect((await send('GET', listPath.replace(first, second))).json).toEqual([]);
    expectError(await send('GET', nextPath.replace(first, second)), 'bad_request', /^cursor must /);
  },
);

it.for(nested)('an Idempotency-Key belongs to one parent: $path', async (collection, context) => {
  skip(context);
  const key = randomUUID();
  const first = await add(collection, await addParent(collection), key);

  const second = await add(collection, await addParent(collection), key);

  expect(itemOf(second)).not.toBe(itemOf(first));
  expect(second.headers.get('Idempotent-Replayed')).toBeNull();
});

it.for(belowItems)('an unknown parent gets 404: $method $path', async (row, context) => {
  skip(context);
  const { method, path, operation } = row;
  const headers = { 'Idempotency-Key': randomUUID() };
  const address = path.replace(/\{\w+\}/, unknownId).replaceAll(/\{\w+\}/g, '1');

  const refused = await send(method.toUpperCase(), address, { headers, ...exampleBody(operation) });

  expectError(refused, 'not_found');
});
