import * as z from 'zod/mini';
import { type ErrorCode, errorStatuses } from './errors.ts';
import { isInt64Text, maxInt64, minInt64 } from './int64.ts';

/** The limits of client input, for checks, messages and the OpenAPI document. */
export const limits = {
  name: { maxCodePoints: 255 },
  pageSize: { min: 1, max: 100, default: 20 },
  idempotencyKey: { maxCharacters: 255 },
  /** A deeper body would overflow the stack of a JSON parser. */
  body: { maxBytes: 64 * 1024, maxNestingDepth: 64 },
} as const;

// Each field has one message that says what is valid. No message contains the input.
const nameRule = `must be a string of 1 to ${limits.name.maxCodePoints} Unicode code points, not all white space`;
const categoryIdRule = `must be an integer from ${minInt64} to ${maxInt64}`;
const limitRule = `must be a single integer from ${limits.pageSize.min} to ${limits.pageSize.max}, without leading zeros`;
const cursorRule = 'must be the unchanged cursor of a Link header';
const idempotencyKeyRule = `must have 1 to ${limits.idempotencyKey.maxCharacters} visible ASCII characters`;

export const petStatuses = ['available', 'pending', 'sold'] as const;
const statusRule = `must be one of ${petStatuses.join(', ')}`;

export const PetStatus = z.enum(petStatuses, { error: statusRule });
export type PetStatus = z.infer<typeof PetStatus>;

type Rule = string | ((issue: { input?: unknown }) => string);

/** A string that passes the check. Every other value gets the message of the rule. */
function validText(isValid: (text: string) => boolean, error: Rule) {
  return z.string({ error }).check(z.refine(isValid));
}

/** The rule of a parameter or header, which is an array if it is repeated. */
function sentOnceRule(rule: string): Rule {
  return ({ input }) => (Array.isArray(input) ? 'must be sent only once' : rule);
}

function isPetName(text: string): boolean {
  return (
    text.isWellFormed() &&
    /\P{White_Space}/u.test(text) &&
    // `text.length` would count UTF-16 code units.
    [...text].length <= limits.name.maxCodePoints
  );
}

/** The request body that adds a pet. Unknown members are ignored. */
export const NewPet = z.object(
  {
    name: validText(isPetName, ({ input }) =>
      typeof input === 'string' && !input.isWellFormed()
        ? 'must not contain lone surrogates'
        : nameRule,
    ),
    categoryId: z.int64({ error: categoryIdRule }),
    status: z._default(PetStatus, 'available'),
  },
  { error: 'The body must be a JSON object with the members name and categoryId' },
);
export type NewPet = z.infer<typeof NewPet>;

/**
 * A pet as it is stored and returned.
 *
 * It has the types of a new pet without the limits and enumerations. So a tighter limit hides no older pet, and a
 * rollback hides no pet with a status that only the later version knows.
 */
export const Pet = z.object({
  id: z.int64().check(z.minimum(1n)),
  ...NewPet.shape,
  name: z.string(),
  // A stored pet has a status, so this schema has no default.
  status: z.string(),
});
export type Pet = z.infer<typeof Pet>;

export const Pets = z.array(Pet).check(z.maxLength(limits.pageSize.max));

function isPageSize(digits: string): boolean {
  const { min, max } = limits.pageSize;
  return /^[1-9]\d*$/.test(digits) && Number(digits) >= min && Number(digits) <= max;
}

/** 15 bytes as base64url, see dynamodb/pages.ts. Tools that use the flag `v` need the `\-`. */
export const cursorPattern = /^[A-Za-z0-9_\-]{20}$/v;

/** The query parameters of a list. A repeated parameter is an array. */
export const ListPetsQuery = z.object({
  limit: z._default(
    z.pipe(validText(isPageSize, limitRule), z.transform(Number)),
    limits.pageSize.default,
  ),
  status: z.optional(z.enum(petStatuses, { error: sentOnceRule(statusRule) })),
  cursor: z.optional(validText((cursor) => cursorPattern.test(cursor), sentOnceRule(cursorRule))),
});
export type ListPetsQuery = z.infer<typeof ListPetsQuery>;

/** The message of a 404, for an unknown and for an impossible id. */
export const petNotFound = 'There is no pet with this id.';

export const idempotencyKeyPattern = /^[!-~]+$/;

function isIdempotencyKey(key: string): boolean {
  return idempotencyKeyPattern.test(key) && key.length <= limits.idempotencyKey.maxCharacters;
}

/** The request headers of a creation. A repeated header is an array. */
export const CreationHeaders = z.object({
  'idempotency-key': z.optional(validText(isIdempotencyKey, sentOnceRule(idempotencyKeyRule))),
});

function isId(digits: string): boolean {
  return isInt64Text(digits) && BigInt(digits) >= 1n;
}

/** The path parameters of a pet: canonical decimal digits of an int64 from 1. */
export const PetPath = z.object({
  petId: z.pipe(
    validText(isId, petNotFound),
    z.transform((digits: string) => BigInt(digits)),
  ),
});
export type PetPath = z.infer<typeof PetPath>;

/** The body of every response of 400 and above. */
export const ErrorBody = z.object({
  code: z.enum(Object.keys(errorStatuses) as [ErrorCode, ...ErrorCode[]]),
  message: z.string(),
  status: z.int(),
});
