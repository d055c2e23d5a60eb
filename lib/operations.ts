import type * as z from 'zod/mini';
import { CreatePetHeaders, ListPetsQuery, NewPet, Pet, PetPath, Pets } from './schemas.ts';

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

type ItemAction = 'GetItem' | 'PutItem' | 'UpdateItem';

/** What an operation does to a table; on AWS its function may do this and no more. */
export type TableAccess =
  | { table: 'pets'; action: ItemAction; partitionKey: 'PET#*' | 'COUNTER' }
  | { table: 'pets'; action: 'Query'; index: 'byStatus' }
  | { table: 'idempotency'; action: ItemAction };

export type Operation = {
  /** What it does, in two or three words. */
  summary: string;
  method: 'GET' | 'POST';
  /** Below the base address, in the spelling that API Gateway and OpenAPI share. */
  path: `/${string}`;
  successStatus: 200 | 201;
  /** What the operation reads of a request; a part that it does not name is not looked at. */
  input: {
    path?: z.ZodMiniType;
    query?: z.ZodMiniType;
    headers?: z.ZodMiniType;
    body?: z.ZodMiniType;
  };
  output: z.ZodMiniType;
  access: readonly TableAccess[];
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
    summary: 'List animals',
    method: 'GET',
    path: '/pets',
    successStatus: 200,
    input: { query: ListPetsQuery },
    output: Pets,
    access: [{ table: 'pets', action: 'Query', index: 'byStatus' }],
  },
  createPet: {
    summary: 'Add an animal',
    method: 'POST',
    path: '/pets',
    successStatus: 201,
    input: { headers: CreatePetHeaders, body: NewPet },
    output: Pet,
    access: [
      { table: 'pets', action: 'UpdateItem', partitionKey: 'COUNTER' },
      { table: 'pets', action: 'PutItem', partitionKey: 'PET#*' },
      { table: 'pets', action: 'GetItem', partitionKey: 'PET#*' },
      { table: 'idempotency', action: 'GetItem' },
      { table: 'idempotency', action: 'PutItem' },
      { table: 'idempotency', action: 'UpdateItem' },
    ],
  },
  getPet: {
    summary: 'Get an animal',
    method: 'GET',
    path: '/pets/{petId}',
    successStatus: 200,
    input: { path: PetPath },
    output: Pet,
    access: [{ table: 'pets', action: 'GetItem', partitionKey: 'PET#*' }],
    deprecation: { since: '2026-11-20', sunset: '2030-12-05', successorPath: '/pets' },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The table's rows with their names, for code that treats every operation alike. */
export const operationEntries = Object.entries(operations) as [OperationName, Operation][];
