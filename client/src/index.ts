// The entry point of the package, and the only file that re-exports.
export { createPetStoreClient } from './createPetStoreClient.ts';
export { PetStoreError, type PetStoreErrorCode } from './PetStoreError.ts';
export type {
  CallOptions,
  CreatePetOptions,
  CreationResponse,
  ListPetsQuery,
  NewPet,
  Page,
  Pet,
  PetStatus,
  PetStoreClient,
  PetStoreClientOptions,
  PetStoreResponse,
  ResponsePromise,
} from './types.ts';
