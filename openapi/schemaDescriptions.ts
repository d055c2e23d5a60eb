import * as z from 'zod/mini';
import type { ZodOpenApiMetadata } from 'zod-openapi';
import { errorStatuses } from '../lib/errors.ts';
import { ErrorBody, limits, NewPet, Pet, PetStatus } from '../lib/schemas.ts';

/** The name and every text of the OpenAPI document that belongs to one schema. An import registers them. */

type FieldDescription = { description: string; [keyword: string]: unknown };

/** Gives a schema its name in the document, and a description to each of its fields. */
function nameSchema<Shape extends z.core.$ZodShape>(
  id: string,
  schema: z.ZodMiniObject<Shape>,
  description: string,
  fields: Record<keyof Shape, FieldDescription>,
): void {
  // Fields are described here and not in the registry: two objects may share the schema of a field.
  const override: ZodOpenApiMetadata['override'] = ({ jsonSchema }) => {
    const entries = Object.entries(jsonSchema.properties ?? {}).map(([name, property]) => [
      name,
      { ...(property as object), ...fields[name as keyof Shape] },
    ]);
    jsonSchema.properties = Object.fromEntries(entries);
  };
  z.globalRegistry.add(schema, { id, description, override });
}

z.globalRegistry.add(PetStatus, { id: 'PetStatus', description: 'Availability status of a pet.' });

const newPetDescription =
  'A pet to add. Unknown members are ignored. Only a member named `__proto__`, or a member `constructor` that has a `prototype`, is rejected with 400.';

nameSchema('NewPet', NewPet, newPetDescription, {
  name: {
    description:
      'The name of the pet: 1 to 255 Unicode code points, not all of them white space, no lone surrogates. Stored and returned verbatim.',
    minLength: 1,
    maxLength: limits.name.maxCodePoints,
    // One character outside Unicode's White_Space, in a syntax that every regex dialect has. Anchored,
    // because some validators match the whole text and others search in it.
    pattern:
      '^[\\s\\S]*[^\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000][\\s\\S]*$',
    examples: ['Rex'],
  },
  categoryId: {
    description: 'Identifier of the category. Every int64 is stored exactly.',
    examples: [7],
  },
  // With the keyword `default`, generators of TypeScript types require the field.
  status: { description: 'Availability status, by default `available`.', default: undefined },
});

nameSchema('Pet', Pet, 'A stored pet.', {
  id: {
    description:
      'Unique identifier, assigned on creation. Ids start at 1, have gaps, and are never reused.',
    // zod leaves out the bounds of a bigint.
    minimum: 1,
    examples: [1],
  },
  name: { description: 'The name of the pet.', examples: ['Rex'] },
  categoryId: { description: 'Identifier of the category.', examples: [7] },
  status: { description: 'Availability status.' },
});

nameSchema('Error', ErrorBody, 'The body of every response with a status of 400 or above.', {
  code: {
    description: 'Machine-readable code. Treat a code that you do not know by its status.',
    // An enumeration would make strict clients reject a new code.
    enum: undefined,
    'x-extensible-enum': Object.keys(errorStatuses),
  },
  message: {
    description:
      'Human-readable text that names each invalid field and what is valid. Not for programs.',
  },
  status: {
    description: 'The HTTP status of the response.',
    format: 'int32',
    minimum: 400,
    maximum: 599,
  },
});
