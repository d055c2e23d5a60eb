import type * as z from 'zod/mini';
import type { oas31 } from 'zod-openapi';
import type { ErrorCode } from '../lib/errors.ts';
import type { Operation, OperationName, operations } from '../lib/operations.ts';
import { cursorPattern, idempotencyKeyPattern, limits } from '../lib/schemas.ts';

/** Every text and example of the OpenAPI document that belongs to one operation. */

type ParameterDescription = {
  description: string;
  /** The schema of the value as the client sends it; the functions see only strings. */
  schema: oas31.SchemaObject | oas31.ReferenceObject;
  /** Sent by the test of the examples, and by a reader who tries the operation. */
  example?: string | number;
};

export type ErrorDescription = {
  description: string;
  /** A message that the service sends. */
  message: string;
};

export type OperationDescription = {
  summary: string;
  description: string;
  /** By the names in the row's schemas. */
  parameters?: Record<string, ParameterDescription>;
  /** The real response on a store that holds `rex` and `mia`, to a request of the examples here. */
  response: { description: string; example?: unknown };
  /** The meaning of an error for this operation, if it differs from that for the others. */
  errors?: Partial<Record<ErrorCode, ErrorDescription>>;
  /** What to use instead of a deprecated operation. */
  replacement?: string;
  requestExample?: unknown;
};

type InputNames<Input> = {
  [Part in 'path' | 'query' | 'headers']: Input extends Record<Part, infer Schema>
    ? keyof z.output<Schema & z.ZodMiniType>
    : never;
}['path' | 'query' | 'headers'];

/** The texts that a row needs: of each parameter, of its body, of its response and of its deprecation. */
type TextsOf<Row extends Operation> = OperationDescription &
  ([InputNames<Row['input']>] extends [never]
    ? { parameters?: never }
    : { parameters: Record<InputNames<Row['input']>, ParameterDescription> }) &
  (Row['input'] extends { body: unknown } ? { requestExample: unknown } : unknown) &
  (Row extends { output: unknown } ? { response: { example: unknown } } : unknown) &
  (Row extends { deprecation: unknown } ? { replacement: string } : unknown);

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const mia = { id: 2, name: 'Mia', categoryId: 9, status: 'sold' };

const requestTooLarge: ErrorDescription = {
  description: 'The request exceeds the 10 MB of the gateway.',
  message: `The body must not exceed ${limits.body.maxBytes} bytes.`,
};

/** One entry for each operation. */
export const operationDescriptions = {
  listPets: {
    summary: 'List pets',
    description: 'Returns one page of pets in ascending order of id.',
    parameters: {
      limit: {
        description: 'Maximum number of pets in the page.',
        schema: {
          type: 'integer',
          minimum: limits.pageSize.min,
          maximum: limits.pageSize.max,
          default: limits.pageSize.default,
          format: 'int32',
        },
        example: limits.pageSize.default,
      },
      status: {
        description: 'Returns only pets with this availability status.',
        schema: { $ref: '#/components/schemas/PetStatus' },
      },
      cursor: {
        description:
          'The position to continue from, unchanged from the `Link` header of the previous page. It is valid only for the same deployment and `status` filter.',
        schema: { type: 'string', pattern: cursorPattern.source },
      },
    },
    response: {
      description: 'A page of pets. It may be empty.',
      example: [rex, mia],
    },
    errors: {
      bad_request: {
        description: 'A query parameter is invalid. `message` names each fault.',
        message: 'limit must be a single integer from 1 to 100, without leading zeros.',
      },
      payload_too_large: requestTooLarge,
    },
  },
  createPet: {
    summary: 'Add a pet',
    description: 'Adds a pet and assigns its id.',
    parameters: {
      'idempotency-key': {
        description: 'Makes the request safe to retry for 24 hours. Use a fresh UUID for each pet.',
        schema: {
          type: 'string',
          minLength: 1,
          maxLength: limits.idempotencyKey.maxCharacters,
          pattern: idempotencyKeyPattern.source,
        },
        example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
      },
    },
    requestExample: { name: 'Rex', categoryId: 7 },
    response: {
      description: 'The added pet, with its id.',
      example: rex,
    },
    errors: {
      bad_request: {
        description:
          'The body is not valid JSON, or one of its fields or the Idempotency-Key is invalid. `message` names each fault.',
        message:
          'name must be a string of 1 to 255 characters, not all whitespace; categoryId is missing: it must be an integer from -9223372036854775808 to 9223372036854775807.',
      },
    },
  },
  getPet: {
    summary: 'Get a pet',
    description: 'Returns one pet by its id.',
    replacement: 'Use `GET /pets` with the `status` filter instead.',
    parameters: {
      petId: {
        description: 'The id of the pet.',
        schema: { type: 'integer', format: 'int64', minimum: 1 },
        example: 1,
      },
    },
    response: { description: 'The pet.', example: rex },
    errors: {
      bad_request: {
        description: 'The gateway cannot read the request.',
        message: 'The request is not valid.',
      },
      payload_too_large: requestTooLarge,
    },
  },
} satisfies { [Name in OperationName]: TextsOf<(typeof operations)[Name]> };
