import type * as z from 'zod/mini';
import type { Operation } from '../../../lib/operations.ts';
import { limits } from '../../../lib/schemas.ts';
import type { JsonSchema } from './describeSchemas.ts';

type Parameter = { description: string; schema: JsonSchema; example?: unknown };

/** What each parameter is to a client, where the functions see but text. */
const parameters: Record<string, Parameter> = {
  limit: {
    description: 'Maximum number of animals in the page.',
    schema: {
      type: 'integer',
      minimum: limits.pageSize.min,
      maximum: limits.pageSize.max,
      default: limits.pageSize.default,
    },
    example: limits.pageSize.default,
  },
  status: {
    description: 'Lists the animals of this availability status alone.',
    schema: { $ref: '#/components/schemas/PetStatus' },
  },
  cursor: {
    description:
      'The place to go on from, taken from the `Link` header of the page before. Opaque; it belongs to one deployment and one `status` filter.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{20}$' },
  },
  petId: {
    description: 'The identifier of the animal to read.',
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example: 1,
  },
  'idempotency-key': {
    description:
      'Makes the request safe to repeat: within 24 hours the same key with the same body gives the same 201 and animal, and no second one. With another body it is answered 422. A key belongs to the API key that sent it. Take a fresh UUID for each animal.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: limits.idempotencyKey.maxCharacters,
      pattern: '^[!-~]+$',
    },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
};

/** Field names as HTTP writes them; the functions read them in lower case. */
const spellings: Record<string, string> = { 'idempotency-key': 'Idempotency-Key' };

/** The `parameters` of an operation, from the schemas in its row. */
export function describeParameters({ path, query, headers }: Operation['input']): JsonSchema[] {
  return [
    ...describePart('path', path),
    ...describePart('query', query),
    ...describePart('header', headers),
  ];
}

function describePart(location: 'path' | 'query' | 'header', schema?: z.ZodMiniType): JsonSchema[] {
  return Object.keys((schema as z.ZodMiniObject | undefined)?.shape ?? {}).map((name) => {
    const parameter = parameters[name];
    if (!parameter) throw new Error(`The parameter ${name} has no description yet.`);
    return {
      name: spellings[name] ?? name,
      in: location,
      required: location === 'path',
      ...parameter,
    };
  });
}
