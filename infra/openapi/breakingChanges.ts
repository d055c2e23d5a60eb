type Json = Record<string, unknown>;

/** A JSON Schema without references. */
type Schema = Json & { properties?: Record<string, Schema>; items?: Schema };

type Content = Record<string, { schema: Schema }>;
type Header = { required?: boolean; schema: Schema };
type Part = Header & { name: string };
type ResponseObject = { headers?: Record<string, Header>; content?: Content };
type OperationObject = {
  operationId: string;
  'x-sunset'?: string;
  'x-stability'?: string;
  security?: unknown;
  parameters?: (Part & { in: string })[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, ResponseObject>;
};
type OpenApiDocument = {
  paths: Record<string, Record<string, OperationObject>>;
  security?: unknown;
  servers: { url: string }[];
  components: { securitySchemes: unknown };
};

/**
 * Finds what would break a client of the released document, one sentence each.
 *
 * Requests may only become less restricted, and responses only more restricted. An operation may be
 * removed from its sunset on.
 */
export function breakingChanges(released: Json, current: Json, today = new Date()): string[] {
  const before = resolveReferences(released, released) as OpenApiDocument;
  const after = resolveReferences(current, current) as OpenApiDocument;
  const changes = [
    ...before.servers
      .filter(({ url }) => !after.servers.some((server) => server.url === url))
      .map(({ url }) => `The server ${url} was removed.`),
    ...compare('security', before.security, after.security),
    ...compare(
      'securitySchemes',
      before.components.securitySchemes,
      after.components.securitySchemes,
    ),
  ];
  for (const [path, operations] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      const successor = after.paths[path]?.[method];
      if (successor) changes.push(...operationChanges(name, operation, successor));
      else if (!operation['x-sunset'] || today < new Date(operation['x-sunset'])) {
        changes.push(`${name} was removed before its sunset.`);
      }
    }
  }
  return changes;
}

function operationChanges(name: string, before: OperationObject, after: OperationObject): string[] {
  const { 'x-sunset': sunset, 'x-stability': stability } = after;
  const isSuccess = (status: string) => status.startsWith('2');
  const added = Object.keys(after.responses).filter((status) => !before.responses[status]);
  return [
    ...compare(`${name} > operationId`, before.operationId, after.operationId),
    ...compare(`${name} > security`, before.security, after.security),
    ...(stability ? compare(`${name} > x-stability`, before['x-stability'], stability) : []),
    ...(before['x-sunset'] && sunset && sunset < before['x-sunset']
      ? [`${name} ends sooner, on ${sunset}.`]
      : []),
    ...schemaChanges('request', name, requestSchema(before), requestSchema(after)),
    ...Object.entries(before.responses).flatMap(([status, response]) => {
      const at = `${name} > ${status}`;
      const successor = after.responses[status];
      if (successor) {
        return schemaChanges('response', at, responseSchema(response), responseSchema(successor));
      }
      // An error that no longer happens breaks no client.
      return isSuccess(status) ? [`${at} was removed.`] : [];
    }),
    ...added.filter(isSuccess).map((status) => `${name} > ${status} is new.`),
  ];
}

/** A request as one object, whose members are the parameters and the body. */
function requestSchema({ parameters = [], requestBody }: OperationObject): Schema {
  const { required = false, content } = requestBody ?? {};
  const parts = parameters.map((part) => ({ ...part, name: `${part.in} ${part.name}` }));
  return objectOf([...parts, ...bodies(content, required)]);
}

/** A response as one object, whose members are the headers and the body. */
function responseSchema({ headers = {}, content }: ResponseObject): Schema {
  const parts = Object.entries(headers).map(([name, header]) => ({
    ...header,
    name: `header ${name}`,
  }));
  return objectOf([...parts, ...bodies(content, true)]);
}

function bodies(content: Content = {}, required: boolean): Part[] {
  return Object.entries(content).map(([mediaType, { schema }]) => ({
    name: `body ${mediaType}`,
    required,
    schema,
  }));
}

function objectOf(parts: Part[]): Schema {
  return {
    properties: Object.fromEntries(parts.map(({ name, schema }) => [name, schema])),
    required: parts.filter(({ required }) => required).map(({ name }) => name),
  };
}

const isAtMost = (wide = -Infinity, narrow = -Infinity) => wide <= narrow;
const isAtLeast = (wide = Infinity, narrow = Infinity) => wide >= narrow;
const hasAll = (list: unknown[], others: unknown[]) => others.every((each) => list.includes(each));

/** Whether the first value of a keyword allows everything that the second value allows. */
const isAtLeastAsWide: Record<string, (wide?: never, narrow?: never) => boolean> = {
  minimum: isAtMost,
  minLength: isAtMost,
  maximum: isAtLeast,
  maxLength: isAtLeast,
  maxItems: isAtLeast,
  enum: (wide?: unknown[], narrow?: unknown[]) =>
    wide === undefined || (narrow !== undefined && hasAll(wide, narrow)),
  required: (wide: string[] = [], narrow: string[] = []) => hasAll(narrow, wide),
};

const texts = ['description', 'title', 'examples', 'example'];

type Direction = 'request' | 'response';

/** Compares each keyword. One without a rule, such as `type`, `default` or `pattern`, must not change. */
function schemaChanges(direction: Direction, at: string, before: Schema, after: Schema): string[] {
  const [wide, narrow] = direction === 'request' ? [after, before] : [before, after];
  const keywords = Object.keys({ ...before, ...after }).filter((name) => !texts.includes(name));
  return keywords.flatMap((keyword) => {
    if (keyword === 'properties') {
      return Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
        const successor = after.properties?.[name];
        if (!successor) return [`${at} > ${name} was removed.`];
        return schemaChanges(direction, `${at} > ${name}`, schema, successor);
      });
    }
    if (keyword === 'items' && before.items && after.items) {
      return schemaChanges(direction, `${at} > items`, before.items, after.items);
    }
    const isCompatible = isAtLeastAsWide[keyword]?.(
      wide[keyword] as never,
      narrow[keyword] as never,
    );
    return isCompatible ? [] : compare(`${at} > ${keyword}`, before[keyword], after[keyword]);
  });
}

function compare(at: string, before: unknown, after: unknown): string[] {
  const [from, to] = [JSON.stringify(before), JSON.stringify(after)];
  return from === to ? [] : [`${at} changed from ${from} to ${to}.`];
}

/** Replaces each `$ref` with what it refers to. The documents of this service have no cycles. */
function resolveReferences(value: unknown, document: Json): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, document));
  const { $ref, ...siblings } = value as Json;
  const target = typeof $ref === 'string' ? find($ref, document) : {};
  const entries = Object.entries({ ...target, ...siblings });
  return Object.fromEntries(
    entries.map(([name, member]) => [name, resolveReferences(member, document)]),
  );
}

function find(reference: string, document: Json): Json {
  const steps = reference.replace('#/', '').split('/');
  return steps.reduce<Json>((place, step) => place[step] as Json, document);
}
