// The entry point of the package, and the only file that re-exports.
export { createPetStoreClient } from './createPetStoreClient.ts';
export type * from './generated.ts';
export { PetStoreError, type PetStoreErrorCode } from './PetStoreError.ts';
export type * from './types.ts';
