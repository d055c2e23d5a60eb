import { randomUUID } from 'node:crypto';
import { describe, expect, it, type TestContext } from 'vitest';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { expectStatus, type Received, send } from './send.ts';
import { pathOf, skipUnlessPetsMayBeAdded } from './serviceUnderTest.ts';

// What each collection of openapi.json promises, derived from its operations.

type Described = {
  requestBody: { content: { 'application/json': { example: object } } };
  responses: Record<string, object>;
};
type Methods = { get?: object; post?: Described };

const paths: Record<string, Methods> = openApiDocument.paths;

/** Each collection to which a POST adds items, with the path of an item. */
const collections = Object.entries(paths).flatMap(([path, { post }]) => {
  const itemPath = Object.keys(paths).find((each) => /^\/\{\w+\}$/.test(each.replace(path, '')));
  return post && '201' in post.responses ? [{ path, post, itemPath }] : [];
});

type Collection = (typeof collections)[number];

/** Adds the example of a collection. */
function add({ path, post }: Collection, key = randomUUID()): Promise<Received> {
  const body = JSON.stringify(post.requestBody.content['application/json'].example);
  return send('POST', path, { headers: { 'Idempotency-Key': key }, body });
}

/** Returns the path of an item that was added. */
function itemOf(added: Received): string {
  expectStatus(added, 201);
  return pathOf(added.headers.get('Location') ?? '');
}

const skip = (context: TestContext) => skipUnlessPetsMayBeAdded(context, 'any');

describe('an item that is added', () => {
  it.for(collections)('has a Location, where it is read: $path', async (collection, context) => {
    skip(context);

    const added = await add(collection);

    const location = itemOf(added);
    if (!collection.itemPath || !paths[collection.itemPath]?.get) return;
    const read = await send('GET', location);
    expectStatus(read, 200);
    expect(read.json).toEqual(added.json);
  });

  it.for(collections)(
    'is the response to each retry, which says so: $path',
    async (collection, context) => {
      skip(context);
      const key = randomUUID();
      const added = await add(collection, key);

      const retried = await add(collection, key);

      expect(itemOf(retried), 'the Location; does the item store its token?').toBe(itemOf(added));
      expect(retried.json).toEqual(added.json);
      expect(retried.headers.get('Idempotent-Replayed'), 'Idempotent-Replayed').toBe('true');
    },
  );
});
