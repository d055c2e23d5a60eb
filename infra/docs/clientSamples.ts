import type { OperationName } from '../../lib/operations.ts';

const setUp = `import { createPetStoreClient } from 'petstore-client';

const petStore = createPetStoreClient({
  baseAddress: process.env.BASE_ADDRESS ?? '',
  apiKey: process.env.API_KEY ?? '',
});
`;

/** How `petstore-client` calls an operation, if it does. */
export const clientSamples: Partial<Record<OperationName, string>> = {
  listPets: `${setUp}
// Reads page after page.
for await (const pet of petStore.allPets({ status: 'available' })) {
  console.log(pet.id, pet.name);
}`,
  createPet: `${setUp}
// Sends an Idempotency-Key, so a retry adds no second pet.
const rex = await petStore.createPet({ name: 'Rex', categoryId: 7n });
console.log(rex.id);`,
  getPet: `${setUp}
const pet = await petStore.getPet(1n);
console.log(pet.name, pet.status);`,
};
