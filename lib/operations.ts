import type * as z from 'zod/mini';
import { CreationHeaders, ListPetsQuery, NewPet, Pet, PetPath, Pets } from './schemas.ts';
import { counterKey, petKey, type TableName, type tables } from './tables.ts';

/** The `service` of each log line and metric, and the realm of the API keys. */
export const serviceName = 'petstore';

/** The path segment that every base address ends in. */
export const basePath = '/v1';

/** The version of the interface, of which docs/guide/changelog.md says what changed for clients. */
export const interfaceVersion = '1.0.0';

/** The headers of every response, in addition to its own `X-Request-Id`. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** `WWW-Authenticate` of a 401. A request with a token adds `error="invalid_token"`. */
export const challenge = `Bearer realm="${serviceName}"`;

/** Since when an operation is deprecated, and when it is removed: `YYYY-MM-DD`, midnight UTC. */
export type Deprecation = {
  since: string;
  sunset: string;
  /** The path of the replacement, below the base address. */
  successorPath: string;
};

type IndexName<Table extends TableName> = keyof (typeof tables)[Table]['indexes'] & string;

/**
 * An action of an operation on a table. It becomes a permission of its function on AWS.
 *
 * No operation deletes an item: a deletion is an update that removes the fields and the keys of the indexes. It
 * keeps the key of the table, `id` and `token`, because otherwise a retry of the creation would add the item again.
 * A read responds 404 for such an item, and a change has the condition that a field exists, not the key.
 */
export type TableAccess = {
  [Table in TableName]:
    | {
        table: Table;
        action: 'GetItem' | 'PutItem' | 'UpdateItem';
        /** Limits the permission to these keys: `PET#*`. Set it if the table has items of several kinds. */
        partitionKey?: string;
      }
    | {
        table: Table;
        action: 'Query';
        index: IndexName<Table>;
      };
}[TableName];

/** The response of a success: with a body, or 204 without one. */
type Success =
  | { successStatus: 200 | 201; output: z.ZodMiniType }
  | { successStatus: 204; output?: never };

/** A header that the success of an operation may have, in addition to those of every response. */
export type ResponseHeader = 'Idempotent-Replayed' | 'Link' | 'Location';

export type Operation = Success & {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, in the syntax of API Gateway and OpenAPI. */
  path: `/${string}`;
  /** The parts of a request that the operation reads. Other parts are ignored. */
  input: {
    path?: z.ZodMiniType;
    query?: z.ZodMiniType;
    headers?: z.ZodMiniObject;
    body?: z.ZodMiniType;
  };
  responseHeaders?: readonly ResponseHeader[];
  access: readonly TableAccess[];
  /** Set while the operation may change without notice. */
  stability?: 'beta' | 'experimental';
  deprecation?: Deprecation;
};

/**
 * The interface: one row for each operation.
 *
 * The middleware stack, the CDK stack, the local server and the OpenAPI document read this table. Never
 * change the name of a deployed row, because its function would become another one. CONTRIBUTING.md says
 * how to add an operation.
 */
export const operations = {
  listPets: {
    method: 'GET',
    path: '/pets',
    successStatus: 200,
    input: { query: ListPetsQuery },
    output: Pets,
    responseHeaders: ['Link'],
    access: [
      { table: 'pets', action: 'Query', index: 'byCollection' },
      { table: 'pets', action: 'Query', index: 'byStatus' },
    ],
  },
  createPet: {
    method: 'POST',
    path: '/pets',
    successStatus: 201,
    input: { headers: CreationHeaders, body: NewPet },
    output: Pet,
    responseHeaders: ['Location', 'Idempotent-Replayed'],
    access: [
      { table: 'pets', action: 'UpdateItem', partitionKey: counterKey },
      { table: 'pets', action: 'PutItem', partitionKey: petKey('*') },
      { table: 'idempotency', action: 'PutItem' },
    ],
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    successStatus: 200,
    input: { path: PetPath },
    output: Pet,
    access: [{ table: 'pets', action: 'GetItem', partitionKey: petKey('*') }],
    // The interface demands it, see DECISIONS.md. Only `since` is a choice of this service.
    deprecation: { since: '2026-11-20', sunset: '2030-12-05', successorPath: '/pets' },
  },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Returns the methods that an operation serves: HEAD wherever there is GET (RFC 9110, 9.1). */
export function methodsOf({ method }: Pick<Operation, 'method'>): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

export const operationEntries = Object.entries(operations) as [OperationName, Operation][];
