import * as z from 'zod';
import { type ErrorCode, errorStatuses } from './ApiError.ts';
import { maxInt64, minInt64 } from './int64.ts';

/** The limits of what clients send; the checks, the sentences and the API description read them. */
export const limits = {
  name: { maxCodePoints: 255 },
  pageSize: { least: 1, most: 100, default: 20 },
  idempotencyKey: { maxCharacters: 255 },
} as const;

// Each field has one sentence that says what would be right, whatever was wrong with it: a client
// that follows the sentence is done, and no answer repeats what was sent.
const nameRule = `must be a string of 1 to ${limits.name.maxCodePoints} Unicode characters that are not all white space, without lone surrogates`;
const categoryIdRule = `must be an integer from ${minInt64} to ${maxInt64}`;
const limitRule = `must be given once, as a whole number from ${limits.pageSize.least} to ${limits.pageSize.most} in decimal digits`;
const cursorRule = 'must be given once, exactly as it stands in the Link header of a page';

const idempotencyKeyRule = `must be given once, as 1 to ${limits.idempotencyKey.maxCharacters} visible ASCII characters`;

export const petStatuses = ['available', 'pending', 'sold'] as const;

export const PetStatus = z.enum(petStatuses, {
  error: `must be one of ${petStatuses.join(', ')}`,
});
export type PetStatus = z.infer<typeof PetStatus>;

function isPetName(text: string): boolean {
  return (
    text.isWellFormed() &&
    /\P{White_Space}/u.test(text) &&
    [...text].length <= limits.name.maxCodePoints
  );
}

/** The request body that adds a pet. Unknown members are dropped. */
export const NewPet = z.object(
  {
    name: z.string({ error: nameRule }).refine(isPetName, { error: nameRule }),
    categoryId: z.int64({ error: categoryIdRule }),
    status: PetStatus.default('available'),
  },
  { error: 'The body must be a JSON object with the members name and categoryId' },
);
export type NewPet = z.infer<typeof NewPet>;

/**
 * A pet as it is stored and returned.
 *
 * Its name is any string: a limit that is tightened for new pets must not hide the old ones.
 */
export const Pet = z.object({
  id: z.int64().positive(),
  name: z.string(),
  categoryId: z.int64(),
  status: PetStatus,
});
export type Pet = z.infer<typeof Pet>;

export const Pets = z.array(Pet).max(limits.pageSize.most);

/** The query parameters of a list. A parameter that is sent twice arrives as an array. */
export const ListPetsQuery = z.object({
  limit: z
    .string({ error: limitRule })
    .regex(/^\d+$/, { error: limitRule })
    .transform(Number)
    .refine((limit) => limit >= limits.pageSize.least && limit <= limits.pageSize.most, {
      error: limitRule,
    })
    .default(limits.pageSize.default),
  status: z
    .enum(petStatuses, { error: `must be given once, as one of ${petStatuses.join(', ')}` })
    .optional(),
  cursor: z
    .string({ error: cursorRule })
    .regex(/^[\w-]{20}$/, { error: cursorRule }) // 15 bytes as base64url, see cursor.ts
    .optional(),
});
export type ListPetsQuery = z.infer<typeof ListPetsQuery>;

/** The message of a 404, whether the id belongs to no pet or cannot belong to any. */
export const petNotFound = 'There is no pet with this id.';

/** The request headers of a creation. A header that is sent twice arrives as an array. */
export const CreatePetHeaders = z.object({
  'idempotency-key': z
    .string({ error: idempotencyKeyRule })
    .regex(/^[\x21-\x7e]+$/, { error: idempotencyKeyRule })
    .max(limits.idempotencyKey.maxCharacters, { error: idempotencyKeyRule })
    .optional(),
});
export type CreatePetHeaders = z.infer<typeof CreatePetHeaders>;

/** The path parameters that name one pet: canonical decimal digits of an int64 from 1 on. */
export const PetPath = z.object({
  petId: z
    .string({ error: petNotFound })
    .regex(/^[1-9]\d{0,18}$/, { error: petNotFound })
    .transform(BigInt)
    .refine((id) => id <= maxInt64, { error: petNotFound }),
});
export type PetPath = z.infer<typeof PetPath>;

/** The body of every response of 400 and above. */
export const ErrorBody = z.object({
  code: z.enum(Object.keys(errorStatuses) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  status: z.int(),
});
