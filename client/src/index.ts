// The front door of the package, and the one file that only exports again.
export { createPetStoreClient } from './createPetStoreClient.ts';
export type { DeprecationNotice } from './deprecationNotice.ts';
export type {
  CallOptions,
  CreatePetOptions,
  ListPetsQuery,
  NewPet,
  Page,
  Pet,
  PetStatus,
  PetStoreClient,
} from './PetStoreClient.ts';
export { PetStoreError, type PetStoreErrorCode } from './PetStoreError.ts';
export type { PetStoreClientOptions } from './settings.ts';
