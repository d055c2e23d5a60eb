import {
  enumJson,
  type Item,
  idJson,
  int64Json,
  textJson,
  toItem,
} from '../dynamodb/attributes.ts';
import { petKey } from '../dynamodb/tables.ts';
import { type Pet, petStatuses } from '../schemas.ts';

/** Returns the item of a new pet. The token identifies the request that writes it. */
export function toPetItem(pet: Pet, token: string): Item {
  return toItem({ ...pet, pk: petKey(pet.id), token });
}

const statusJson = enumJson(petStatuses);

/** Returns the JSON text of a stored pet, with every digit. Throws if the pet is damaged. */
export function petJson(item: Item): string {
  const id = idJson(item.id) ?? damaged(item, 'id');
  const name = textJson(item.name) ?? damaged(item, 'name');
  const categoryId = int64Json(item.categoryId) ?? damaged(item, 'categoryId');
  const status = statusJson(item.status) ?? damaged(item, 'status');
  return `{"id":${id},"name":${name},"categoryId":${categoryId},"status":${status}}`;
}

function damaged(item: Item, field: keyof Pet): never {
  throw new Error(`The stored pet ${item.pk?.S} has no valid ${field}.`);
}
