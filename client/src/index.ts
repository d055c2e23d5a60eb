// The entry point of the package, and the only file that re-exports.
export * from './createPetStoreClient.ts';
export { PetStoreError, type PetStoreErrorCode, type ServiceErrorCode } from './PetStoreError.ts';
export type * from './types.ts';
