import { randomUUID } from 'node:crypto';

// Everything that is only true of pets: members, samples, valid and invalid values, and the filter of a list.
// If a field changes, change it here.

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** Nothing removes the pets of a run, so their names begin with this, and with the minute of the run. */
export const sampleMark = 'smoke-test';
const petNamePrefix = `${sampleMark} ${new Date().toISOString().slice(0, 16)}`;

type SamplePet = { name: string; categoryId: bigint; status: string };

/** Returns a sold pet, which is neither offered (`available`) nor reserved (`pending`). */
const sold = (name: string, categoryId: bigint): SamplePet => ({
  name: `${petNamePrefix} ${name}`,
  categoryId,
  status: 'sold',
});

/** A member that no pet has. No field can get a name with a space. */
export const unknownMember = 'no field';

/** The pets that a run leaves in a deployment. Each `categoryId` is more than a double can hold. */
export const samplePets = {
  largest: sold('largest', int64.max),
  smallest: sold('smallest', int64.min),
  raced: sold('raced', -(2n ** 53n) - 1n),
  // Easily lost on the way: quotes, white space at the end, markup, a null, and characters of 1 to 4
  // bytes in UTF-8. The accents must stay decomposed.
  odd: sold(`"\\' <b>\n\0 \uFEFF é e\u0301 犬 🐾 \t`, 2n ** 53n + 1n),
};

const runId = randomUUID();

export const sampleKey = (name: keyof typeof samplePets) => `smoke-test-${runId}-${name}`;

/** Changes of the largest pet, one for each member. */
export const otherValues: [string, Partial<SamplePet>][] = [
  ['name', { name: `${petNamePrefix} another` }],
  ['categoryId beyond 2^53', { categoryId: samplePets.largest.categoryId - 1n }],
  ['status', { status: 'pending' }],
];

/** Writes a pet as JSON, with every digit. */
export function bodyOf(pet: SamplePet): string {
  return JSON.stringify(pet, (_, value) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  );
}

/**
 * Writes a body from the JSON texts of its members. `undefined` leaves a member out.
 *
 * If the service stored such a body although it must refuse it, the pet would be sold and have a telling name.
 */
export function bodyWith(changed: Record<string, string | undefined> = {}): string {
  const name = JSON.stringify(`${petNamePrefix} must be refused`);
  const texts = { name, categoryId: '1', status: '"sold"', ...changed };
  const members = Object.entries(texts).filter(([, text]) => text !== undefined);
  return `{${members.map(([member, text]) => `"${member}":${text}`).join()}}`;
}

const minimalMembers = { name: '"Rex"', status: undefined };

/** A body with only its required members, one with members that no client can set, and the pet of both. */
export const minimal = {
  body: bodyWith(minimalMembers),
  bodyWithMore: bodyWith({ ...minimalMembers, id: '1', [unknownMember]: '"me"', pk: '"COUNTER"' }),
  pet: { name: 'Rex', categoryId: 1n, status: 'available' },
};

type Case = [title: string, changed: Record<string, string | undefined>];

const name = (title: string, text: string): Case => [`a name of ${title}`, { name: text }];
const categoryId = (text: string, title = text): Case => [
  `a categoryId ${title}`,
  { categoryId: text },
];

/** Values that are kept, each as a member of the pet. */
export const keptValues: [...Case, kept: Partial<SamplePet>][] = [
  ...[
    ['one character', 'R'],
    ['255 code points outside the basic plane', '🐕'.repeat(255)],
    ['white space around it', '  Rex\t'],
    ['the name of a prototype', '__proto__'],
    ['a quote and brackets', `"${'['.repeat(80)}{\\`],
    ['a byte order mark and a null', '\uFEFFa\0'],
  ].map(([title = '', text = '']): [...Case, Partial<SamplePet>] => [
    ...name(title, JSON.stringify(text)),
    { name: text },
  ]),
  [...categoryId('9007199254740993'), { categoryId: 9007199254740993n }],
  [...categoryId('-0'), { categoryId: 0n }],
  [...categoryId('1.0'), { categoryId: 1n }],
  [...categoryId('1e2'), { categoryId: 100n }],
  [...categoryId('1E+2'), { categoryId: 100n }],
  [...categoryId('9223372036854775.807e3'), { categoryId: 9223372036854775807n }],
  [...categoryId('10000000000000000000000e-4'), { categoryId: 10n ** 18n }],
  ['the status pending', { status: '"pending"' }, { status: 'pending' }],
];

const nameRule = /^name must (be .+ 1 to 255|not contain lone) .+\.$/;
const categoryIdRule = /^categoryId must be .+ -9223372036854775808 to 9223372036854775807\.$/;
const statusRule = /^status must be .+available, pending, sold\.$/;

const missing = ({ source }: RegExp) => new RegExp(source.replace(' ', ' is missing: it '));

/** Values that get 400, with the message. */
export const refusedValues: [...Case, message: RegExp][] = [
  ...['""', '"   "', '" \\t\\u00a0\\u2003\\u0085\\n"', '"\\ud83d"', '7', 'null', '["Rex"]'].map(
    (text): [...Case, RegExp] => [...name(text, text), nameRule],
  ),
  [...name('256 characters', JSON.stringify(petNamePrefix.padEnd(256, 'x'))), nameRule],
  ['no name', { name: undefined }, missing(nameRule)],
  ...[
    categoryId('9223372036854775808', 'above int64'),
    categoryId('-9223372036854775809', 'below int64'),
    categoryId('9007199254740993.5', 'with a fraction that a double rounds off'),
    categoryId('1e-999999999999999999999', 'with a huge negative exponent'),
    categoryId(`1${'0'.repeat(60_000)}1`, 'of 60,000 digits'),
    ...['0.1', '1e-1', '1e19', '1e400', '"7"', 'true', 'null', '[7]', '{}'].map((text) =>
      categoryId(text),
    ),
  ].map((each): [...Case, RegExp] => [...each, categoryIdRule]),
  ['no categoryId', { categoryId: undefined }, missing(categoryIdRule)],
  ...['"Sold"', '"lost"', '""', 'null', '1', '["sold"]'].map((status): [...Case, RegExp] => [
    `the status ${status}`,
    { status },
    statusRule,
  ]),
];

/** A body with a fault in each member, its message, and the message for a body that is not an object. */
export const faultyBody = '{"status":"lost"}';
export const faultyBodyMessage =
  /^name is missing: it must .+; categoryId is missing: it must .+; status must .+\.$/;
export const notAnObjectMessage =
  /^The body must be a JSON object with the members name and categoryId\.$/;

/** The filter of a list. Its value `sample` shows all sample pets, and `other` none of them. */
export const filter = {
  name: 'status',
  values: ['available', 'pending', 'sold'],
  sample: 'sold',
  other: 'pending',
  refused: ['Sold', 'lost', '', 'available,sold', 'sold&status=sold'],
} as const;
