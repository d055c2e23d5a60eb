import { beforeEach, describe, expect, it } from 'vitest';
import { type Item, toItem } from '../../../lib/dynamodb/attributes.ts';
import { changeItem } from '../../../lib/dynamodb/changeItem.ts';
import { requestContext } from '../../helpers/api.ts';
import {
  connectionReset,
  emptyStore,
  interceptDatabase,
  storedItems,
  storeItem,
} from '../../helpers/database.ts';

// test/interleavings covers changes that race, and attempts that arrive late.

const change = (changeOf: (item: Item) => Item) =>
  changeItem('pets', 'DOOR', changeOf, requestContext);
const open = (item: Item) => ({ ...item, ...toItem({ state: 'open' }) });

beforeEach(async () => {
  await emptyStore();
  await storeItem({ pk: 'DOOR', state: 'closed' });
});

describe('changeItem', () => {
  it('returns the item as it is stored, with the attributes that were not changed', async () => {
    await storeItem({ pk: 'DOOR', state: 'closed', colour: 'red' });

    const changed = await change(open);

    expect(changed).toMatchObject(toItem({ pk: 'DOOR', state: 'open', colour: 'red' }));
    const revision = changed?.revision?.S;
    expect(await storedItems()).toEqual([{ pk: 'DOOR', state: 'open', colour: 'red', revision }]);
  });

  it('writes nothing if there is no item, or nothing to change', async () => {
    const actions = interceptDatabase();

    expect(await changeItem('pets', 'GATE', open, requestContext)).toBeUndefined();
    expect(await change((item) => item)).toEqual(toItem({ pk: 'DOOR', state: 'closed' }));

    expect(actions).toEqual(['GetItem', 'GetItem']);
  });

  it('succeeds if an attempt changed the item and its response was lost', async () => {
    const actions = interceptDatabase(async ({ action, pass }) => {
      const response = await pass();
      if (action === 'PutItem' && actions.length === 2) throw connectionReset();
      return response;
    });

    const changed = await change(open);

    expect(actions).toEqual(['GetItem', 'PutItem', 'PutItem']);
    expect((await storedItems())[0]?.revision).toBe(changed?.revision?.S);
  });
});
