import { type Item, toItem } from '../../lib/dynamodb/attributes.ts';
import { changeItem } from '../../lib/dynamodb/changeItem.ts';
import { ApiError } from '../../lib/errors.ts';
import { requestHandler } from '../../lib/http/handler.ts';

/** The key of the item that requests change: a door, which is open or closed. */
export const doorKey = 'DOOR';

/**
 * Opens or closes the door, as DELETE and its opposite would change an item. Responds 404 if the door is so
 * already.
 *
 * The item has the name of each request that changed it, in order.
 */
export const handler = requestHandler('moveDoor', { input: {} }, async (event) => {
  const { to, by } = event.query as { to: string; by: string };
  const changed = await changeItem('pets', doorKey, (door) => moved(door, to, by), event);
  return { statusCode: 200, headers: {}, body: String(changed?.state?.S) };
});

function moved(door: Item, to: string, by: string): Item {
  if (door.state?.S === to) throw new ApiError('not_found', `The door is ${to}.`);
  const moves = [...(door.moves?.L ?? []), { S: by }];
  return { ...door, ...toItem({ state: to }), moves: { L: moves } };
}
