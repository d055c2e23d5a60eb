// The entry point of the package, and the only file that re-exports.
export { createPetStoreClient } from './createPetStoreClient.ts';
export { PetStoreError, type PetStoreErrorCode } from './PetStoreError.ts';
export type { PetStoreClientOptions, RequestNotice, RetryNotice } from './settings.ts';
export type {
  CallOptions,
  CreatePetOptions,
  DeprecationNotice,
  ListPetsQuery,
  NewPet,
  Page,
  Pet,
  PetIterator,
  PetStatus,
  PetStoreClient,
  PetStoreResponse,
  ResponsePromise,
} from './types.ts';
