import * as z from 'zod/mini';
import { errorStatuses } from '../../../lib/errors.ts';
import { ErrorBody, limits, NewPet, Pet, PetStatus } from '../../../lib/schemas.ts';

export type JsonSchema = Record<string, unknown>;

const int64 = { type: 'integer', format: 'int64' };

/** The schemas that the description names, and what each of their fields means. */
const components = {
  PetStatus: { schema: PetStatus, description: 'Availability status of an animal.' },
  NewPet: { schema: NewPet, description: 'An animal to add. Unknown members are ignored.' },
  Pet: { schema: Pet, description: 'An animal, as stored.' },
  Error: { schema: ErrorBody, description: 'The body of every response of 400 and above.' },
};

const fields: Record<string, JsonSchema> = {
  'NewPet.name': {
    description:
      "The animal's name: 1 to 255 Unicode code points, not all of them white space, no lone surrogates. Stored and returned verbatim.",
    minLength: 1,
    maxLength: limits.name.maxCodePoints,
    // One character that is not of Unicode's White_Space, in words that every dialect knows.
    pattern: '[^\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]',
    examples: ['Rex'],
  },
  'NewPet.categoryId': {
    description: 'Identifier of the category. Every int64 is kept digit for digit.',
    examples: [7],
  },
  'NewPet.status': { description: 'Availability status.' },
  'Pet.id': {
    description:
      'Unique identifier, assigned on creation. Ascending from 1, with gaps, and never used twice.',
    minimum: 1,
    examples: [1],
  },
  'Pet.name': { description: "The animal's name.", examples: ['Rex'] },
  'Pet.categoryId': { description: 'Identifier of the category.', examples: [7] },
  'Pet.status': { description: 'Availability status.' },
  'Error.code': { description: 'Machine-readable code, from a closed list.' },
  'Error.message': {
    description:
      'Human-readable description: every field at fault, with what would be right. Not for programs.',
  },
  'Error.status': {
    description: 'The HTTP status of the response.',
    minimum: undefined,
    maximum: undefined,
    enum: [...new Set(Object.values(errorStatuses))],
  },
};

const registry = z.registry<{ id: string }>();
for (const [id, { schema }] of Object.entries(components)) registry.add(schema, { id });

const toUri = (id: string) => `#/components/schemas/${id}`;

/** The schemas of `#/components/schemas`, made from the zod schemas that the functions check with. */
export function describeSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, {
    uri: toUri,
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodMiniBigInt) Object.assign(jsonSchema, int64);
    },
  });
  return Object.fromEntries(
    Object.entries(components).map(([id, { description }]) => {
      const { $schema, $id, ...schema } = schemas[id] as JsonSchema;
      return [id, { description, ...describeFields(id, schema) }];
    }),
  );
}

function describeFields(id: string, schema: JsonSchema): JsonSchema {
  if (schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(
    ([name, property]) => [name, { ...property, ...fields[`${id}.${name}`] }],
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** A reference to the component that a zod schema is, or an array of references to its elements. */
export function referTo(schema: z.ZodMiniType): JsonSchema {
  if (schema instanceof z.ZodMiniArray)
    return { ...describeArray(schema), items: referTo(schema.def.element as z.ZodMiniType) };
  const id = registry.get(schema)?.id;
  if (id === undefined) throw new Error('A schema of the operations table is no component yet.');
  return { $ref: toUri(id) };
}

/** An array without its items, which are named elsewhere. */
function describeArray(schema: z.ZodMiniArray): JsonSchema {
  const { $schema, items, ...array } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  return array;
}
