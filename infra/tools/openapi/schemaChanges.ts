/** What this interface uses of JSON Schema, references resolved. */
export type Schema = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
} & Partial<Record<LowerLimit | UpperLimit, number>>;

type LowerLimit = (typeof lowerLimits)[number];
type UpperLimit = (typeof upperLimits)[number];

const lowerLimits = ['minimum', 'minLength'] as const;
const upperLimits = ['maximum', 'maxLength', 'maxItems'] as const;

/** What is compared by a rule of its own, and what is for people alone. */
const ruledKeywords: string[] = [...lowerLimits, ...upperLimits, 'enum', 'required', 'properties'];
const silentKeywords = ['description', 'title', 'examples', 'example'];

/** What a client may have sent before and may not send after. */
export function narrowings(at: string, before: Schema, after: Schema): string[] {
  const isRaised = (limit: LowerLimit) =>
    (after[limit] ?? -Infinity) > (before[limit] ?? -Infinity);
  const isLowered = (limit: UpperLimit) => (after[limit] ?? Infinity) < (before[limit] ?? Infinity);
  return [
    ...otherChanges(at, before, after),
    ...lowerLimits.filter(isRaised).map((limit) => `${at}: ${limit} was raised.`),
    ...upperLimits.filter(isLowered).map((limit) => `${at}: ${limit} was lowered.`),
    ...(after.enum ? without(before.enum ?? ['any value'], after.enum) : []).map(
      (value) => `${at}: ${value} is not taken any more.`,
    ),
    ...without(after.required ?? [], before.required ?? []).map(
      (name) => `${at}.${name} became required.`,
    ),
    ...memberChanges(at, before, after, narrowings),
  ];
}

/** What a client could not have met before and may meet after. */
export function widenings(at: string, before: Schema, after: Schema): string[] {
  const isLowered = (limit: LowerLimit) =>
    (after[limit] ?? -Infinity) < (before[limit] ?? -Infinity);
  const isRaised = (limit: UpperLimit) => (after[limit] ?? Infinity) > (before[limit] ?? Infinity);
  return [
    ...otherChanges(at, before, after),
    ...lowerLimits.filter(isLowered).map((limit) => `${at}: ${limit} was lowered.`),
    ...upperLimits.filter(isRaised).map((limit) => `${at}: ${limit} was raised.`),
    ...(before.enum ? without(after.enum ?? ['any value'], before.enum) : []).map(
      (value) => `${at}: ${value} may be answered.`,
    ),
    ...without(before.required ?? [], after.required ?? []).map(
      (name) => `${at}.${name} may be missing.`,
    ),
    ...memberChanges(at, before, after, widenings),
  ];
}

/** Any change of a keyword that no rule knows: a type, a default, a pattern, a `const` that is new. */
function otherChanges(at: string, before: Schema, after: Schema): string[] {
  const keywords = new Set([...Object.keys(before), ...Object.keys(after)]);
  const isCompared = before.items !== undefined && after.items !== undefined;
  const skipped = [...ruledKeywords, ...silentKeywords, ...(isCompared ? ['items'] : [])];
  const text = (schema: Schema, keyword: string) => JSON.stringify(schema[keyword as keyof Schema]);
  return without([...keywords], skipped)
    .filter((keyword) => text(before, keyword) !== text(after, keyword))
    .map(
      (keyword) =>
        `${at}: ${keyword} changed from ${text(before, keyword)} to ${text(after, keyword)}.`,
    );
}

function memberChanges(
  at: string,
  before: Schema,
  after: Schema,
  compare: typeof narrowings,
): string[] {
  const members = Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
    const successor = after.properties?.[name];
    return successor ? compare(`${at}.${name}`, schema, successor) : [`${at}.${name} was removed.`];
  });
  const items = before.items && after.items ? compare(`${at}[]`, before.items, after.items) : [];
  return [...members, ...items];
}

function without<T>(values: T[], others: T[]): T[] {
  return values.filter((value) => !others.includes(value));
}
