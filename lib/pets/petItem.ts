import { type Item, itemWriter, toItem } from '../dynamodb/attributes.ts';
import { Pet } from '../schemas.ts';
import { petKey } from '../tables.ts';

/** Returns the item of a new pet. The token identifies the request that writes it. */
export function toPetItem(pet: Pet, token: string): Item {
  return toItem({ ...pet, pk: petKey(pet.id), token });
}

/** Returns the JSON text of a stored pet, with every digit. Throws if the pet is damaged. */
export const petJson = itemWriter(Pet);
