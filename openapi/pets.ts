import * as z from 'zod/mini';
import {
  cursorPattern,
  idempotencyKeyPattern,
  limits,
  NewPet,
  Pet,
  PetStatus,
  petStatuses,
} from '../lib/schemas.ts';
import { type DescriptionsOfRows, nameSchema } from './descriptions.ts';

/** The store of the examples: `rex` is the pet that the example of `createPet` adds. */
const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const mia = { id: 2, name: 'Mia', categoryId: 9, status: 'sold' };

/** The descriptions and examples of each operation on pets. */
export const petDescriptions = {
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
      description: 'A page of pets, as a bare JSON array. It may be empty.',
      example: [rex, mia],
    },
    errors: {
      bad_request: {
        description: 'A query parameter is invalid. `message` names each fault.',
        message: 'limit must be a single integer from 1 to 100, without leading zeros.',
      },
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
          'name must be a string of 1 to 255 Unicode code points, not all white space; categoryId is missing: it must be an integer from -9223372036854775808 to 9223372036854775807.',
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
  },
} satisfies Partial<DescriptionsOfRows>;

z.globalRegistry.add(PetStatus, { id: 'PetStatus', description: 'Availability status of a pet.' });

const newPetDescription =
  'A pet to add. Unknown members are ignored. Only a member named `__proto__`, or a member `constructor` that has a `prototype`, is rejected with 400.';

nameSchema('NewPet', NewPet, newPetDescription, {
  name: {
    description:
      'The name of the pet: 1 to 255 Unicode code points, not all white space, no lone surrogates. Stored and returned verbatim.',
    minLength: 1,
    maxLength: limits.name.maxCodePoints,
    // One character outside Unicode's White_Space, which is written as the characters themselves:
    // the dialects of regexes differ in their escapes. The anchors serve validators that match the
    // whole text, and those that search in it.
    pattern:
      '^[\\s\\S]*[^\\t-\\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][\\s\\S]*$',
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
    description: 'Unique identifier, assigned on creation. Ids start at 1 and have gaps.',
    // zod leaves out the bounds of a bigint.
    minimum: 1,
    examples: [1],
  },
  name: { description: 'The name of the pet.', examples: ['Rex'] },
  categoryId: { description: 'Identifier of the category.', examples: [7] },
  // An enumeration would make strict clients reject a new status.
  status: {
    description: 'Availability status. A later version may add values.',
    'x-extensible-enum': petStatuses,
  },
});
