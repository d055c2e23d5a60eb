/** What this interface uses of JSON Schema, references resolved. */
export type Schema = {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
} & Partial<Record<Limit, number>>;

type Limit = 'minimum' | 'maximum' | 'minLength' | 'maxLength';

/** What a client may have sent before and may not send after. */
export function narrowings(at: string, before: Schema, after: Schema): string[] {
  const isRaised = (limit: Limit) => (after[limit] ?? -Infinity) > (before[limit] ?? -Infinity);
  const isLowered = (limit: Limit) => (after[limit] ?? Infinity) < (before[limit] ?? Infinity);
  return [
    ...kindChanges(at, before, after),
    ...(['minimum', 'minLength'] as const)
      .filter(isRaised)
      .map((limit) => `${at}: ${limit} was raised.`),
    ...(['maximum', 'maxLength'] as const)
      .filter(isLowered)
      .map((limit) => `${at}: ${limit} was lowered.`),
    ...(after.pattern === undefined || after.pattern === before.pattern
      ? []
      : [`${at}: the pattern changed.`]),
    ...(after.enum ? without(before.enum ?? [], after.enum) : []).map(
      (value) => `${at}: ${value} is not taken any more.`,
    ),
    ...(after.enum && !before.enum ? [`${at}: the values became a list.`] : []),
    ...without(after.required ?? [], before.required ?? []).map(
      (name) => `${at}.${name} became required.`,
    ),
    ...memberChanges(at, before, after, narrowings),
  ];
}

/** What a client could not have met before and may meet after. */
export function widenings(at: string, before: Schema, after: Schema): string[] {
  return [
    ...kindChanges(at, before, after),
    ...(before.enum ? without(after.enum ?? ['any value'], before.enum) : []).map(
      (value) => `${at}: ${value} may be answered.`,
    ),
    ...without(before.required ?? [], after.required ?? []).map(
      (name) => `${at}.${name} may be missing.`,
    ),
    ...memberChanges(at, before, after, widenings),
  ];
}

function kindChanges(at: string, before: Schema, after: Schema): string[] {
  return (['type', 'format'] as const)
    .filter((kind) => before[kind] !== after[kind])
    .map((kind) => `${at}: the ${kind} changed from ${before[kind]} to ${after[kind]}.`);
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
