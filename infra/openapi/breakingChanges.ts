type Json = { [key: string]: unknown };

/**
 * Finds what would break a client of the released document, one sentence each.
 *
 * Requests may only become less restricted, and responses only more restricted. An operation may be
 * removed from its sunset on.
 */
export function breakingChanges(released: Json, current: Json, today = new Date()): string[] {
  const root: Position = { place: '', key: '', isRequest: true, today };
  return compare(root, readInterface(released), readInterface(current));
}

type OperationObject = Json & {
  parameters?: { in: string; name: string }[];
  requestBody?: unknown;
};
type OpenApiDocument = {
  paths: Record<string, Record<string, OperationObject>>;
  security?: unknown;
  servers: { url: string }[];
  components: { securitySchemes: unknown };
};

/** The document without references, lists of named things as objects, and each body a parameter. */
function readInterface(document: Json): Json {
  const resolved = resolveReferences(document, document) as OpenApiDocument;
  const operations = Object.entries(resolved.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { parameters = [], requestBody: body, ...others } = operation;
      const named = parameters.map((each) => [`${each.in} ${each.name}`, each]);
      return [
        `${method.toUpperCase()} ${path}`,
        {
          ...others,
          parameters: { ...Object.fromEntries(named), ...(body !== undefined && { body }) },
        },
      ];
    }),
  );
  return {
    servers: Object.fromEntries(resolved.servers.map(({ url }) => [`The server ${url}`, {}])),
    security: resolved.security,
    securitySchemes: resolved.components.securitySchemes,
    operations: Object.fromEntries(operations),
  };
}

/** Replaces each `$ref` with what it refers to. The documents of this service have no cycles. */
function resolveReferences(value: unknown, document: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, document));
  if (!isObject(value)) return value;
  const { $ref, ...siblings } = value;
  const steps = typeof $ref === 'string' ? $ref.replace('#/', '').split('/') : undefined;
  const target = steps?.reduce<Json>((place, step) => place[step] as Json, document);
  const entries = Object.entries({ ...target, ...siblings });
  return Object.fromEntries(
    entries.map(([name, member]) => [name, resolveReferences(member, document)]),
  );
}

/** The position of a value in the interface. */
type Position = {
  place: string;
  key: string;
  /** The keyword whose members have names instead of keywords. Undefined for a keyword itself. */
  container?: string | undefined;
  isRequest: boolean;
  today: Date;
};

const containers = [
  ...['servers', 'securitySchemes', 'operations', 'parameters', 'responses', 'headers', 'content'],
  'properties',
];

/** Keywords that change nothing that is sent. */
const annotations = [
  'description',
  'summary',
  'title',
  'tags',
  'examples',
  'example',
  'deprecated',
];

function enter(outer: Position, key: string): Position {
  const isMember = outer.container === undefined && containers.includes(outer.key);
  const isNamed = isMember || !(key === 'schema' || containers.includes(key));
  return {
    place: isNamed ? [outer.place, key].filter(Boolean).join(' > ') : outer.place,
    key,
    container: isMember ? outer.key : undefined,
    isRequest: outer.isRequest && !(isMember && outer.key === 'responses'),
    today: outer.today,
  };
}

function compare(at: Position, before: unknown, after: unknown): string[] {
  const { place, key, container, isRequest } = at;
  if (!container && annotations.includes(key)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = Object.keys({ ...before, ...after });
    return keys.flatMap((each) => compare(enter(at, each), before[each], after[each]));
  }
  if (container) {
    if (after === undefined) return mayBeRemoved(at, before) ? [] : [`${place} was removed.`];
    if (before === undefined) return mayBeAdded(at, after) ? [] : [`${place} was added.`];
  }
  const [from, to] = [JSON.stringify(before), JSON.stringify(after)];
  const [wide, narrow] = isRequest ? [after, before] : [before, after];
  const isCompatible = from === to || isAtLeastAsWide[key]?.(wide as never, narrow as never);
  return isCompatible ? [] : [`${place} changed from ${from} to ${to}.`];
}

const isSuccess = (status: string) => status.startsWith('2');

/** An error that no longer happens breaks no client. */
function mayBeRemoved({ container, key, today }: Position, part: unknown): boolean {
  const sunset = (part as Json)['x-sunset'];
  if (container === 'operations') return sunset !== undefined && new Date(String(sunset)) <= today;
  return container === 'responses' && !isSuccess(key);
}

function mayBeAdded({ container, key, isRequest }: Position, part: unknown): boolean {
  if (container === 'responses') return !isSuccess(key);
  return !(isRequest && (part as Json).required === true);
}

const isAtMost = (wide = -Infinity, narrow = -Infinity) => wide <= narrow;
const isAtLeast = (wide = Infinity, narrow = Infinity) => wide >= narrow;
const hasAll = (list: unknown[], others: unknown[]) => others.every((each) => list.includes(each));

/**
 * Whether the first value of a keyword allows everything that the second value allows.
 *
 * A keyword without a rule, such as `type`, `default` or `pattern`, must not change.
 */
const isAtLeastAsWide: Record<string, (wide?: never, narrow?: never) => boolean> = {
  minimum: isAtMost,
  minLength: isAtMost,
  maximum: isAtLeast,
  maxLength: isAtLeast,
  maxItems: isAtLeast,
  enum: (wide?: unknown[], narrow?: unknown[]) =>
    wide === undefined || (narrow !== undefined && hasAll(wide, narrow)),
  // A list of members, or whether a parameter or header is required.
  required: (wide: string[] | boolean = false, narrow: string[] | boolean = false) =>
    hasAll([narrow || []].flat(), [wide || []].flat()),
  'x-sunset': (wide?: string, narrow?: string) => !wide || !narrow || wide >= narrow,
  'x-stability': (wide?: unknown) => wide === undefined,
};

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
