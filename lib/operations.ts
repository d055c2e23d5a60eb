import type * as z from 'zod';
import { ListPetsQuery, NewPet, Pet, PetPath, Pets } from './schemas.ts';

/** The path segment that every base address ends in. */
export const basePath = '/v1';

export type Deprecation = {
  /** The date from which the operation is deprecated, `YYYY-MM-DD`, midnight UTC. */
  since: string;
  /** The date on which it is removed, `YYYY-MM-DD`, midnight UTC. */
  sunset: string;
  /** The path, below the base address, of what to use instead. */
  successorPath: string;
};

/** What an operation does to the pets table; on AWS its function may do this and no more. */
export type PetsTableAccess =
  | { action: 'GetItem' | 'PutItem' | 'UpdateItem'; partitionKey: 'PET#*' | 'COUNTER' }
  | { action: 'Query'; index: 'byStatus' };

export type Operation = {
  method: 'GET' | 'POST';
  /** Below the base address, in the spelling that API Gateway and OpenAPI share. */
  path: `/${string}`;
  successStatus: 200 | 201;
  /** What the operation reads of a request; a part that it does not name is not looked at. */
  input: { path?: z.ZodType; query?: z.ZodType; body?: z.ZodType };
  output: z.ZodType;
  access: readonly PetsTableAccess[];
  /** Set while the operation may still change without notice. */
  stability?: 'beta' | 'experimental';
  deprecation?: Deprecation;
};

/**
 * The interface: one row an operation.
 *
 * The CDK stack, the local server and the middleware stack read it. An operation is added by a row
 * here and the file `functions/<name>.ts`.
 */
export const operations = {
  listPets: {
    method: 'GET',
    path: '/pets',
    successStatus: 200,
    input: { query: ListPetsQuery },
    output: Pets,
    access: [{ action: 'Query', index: 'byStatus' }],
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    successStatus: 201,
    input: { body: NewPet },
    output: Pet,
    access: [
      { action: 'UpdateItem', partitionKey: 'COUNTER' },
      { action: 'PutItem', partitionKey: 'PET#*' },
      { action: 'GetItem', partitionKey: 'PET#*' },
    ],
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    successStatus: 200,
    input: { path: PetPath },
    output: Pet,
    access: [{ action: 'GetItem', partitionKey: 'PET#*' }],
    deprecation: { since: '2026-11-20', sunset: '2030-12-05', successorPath: '/pets' },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The table's rows with their names, for code that treats every operation alike. */
export const operationEntries = Object.entries(operations) as [OperationName, Operation][];
