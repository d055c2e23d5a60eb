import { narrowings, type Schema, widenings } from './schemaChanges.ts';

type Json = Record<string, unknown>;

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Content = Record<string, { schema: Schema }>;
type OperationObject = {
  operationId: string;
  'x-sunset'?: string;
  'x-stability'?: string;
  security?: unknown;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Responses;
};
type Header = { required?: boolean; schema: Schema };
type Responses = Record<string, { headers?: Record<string, Header>; content?: Content }>;
type Description = {
  paths: Record<string, Record<string, OperationObject>>;
  security?: unknown;
  servers: { url: string }[];
  components: { securitySchemes: unknown };
};

/**
 * Finds what would break a client of a released description, a sentence each.
 *
 * What clients send may only be accepted more widely, and what they read only be promised more
 * narrowly. An operation may go when its sunset has come.
 */
export function breakingChanges(released: Json, current: Json, today = new Date()): string[] {
  const before = withoutReferences(released, released) as Description;
  const after = withoutReferences(current, current) as Description;
  const changes = [
    ...before.servers
      .filter(({ url }) => !after.servers.some((server) => server.url === url))
      .map(({ url }) => `The server ${url} was removed.`),
    ...(isSame(before.security, after.security) ? [] : ['The security requirement changed.']),
    ...(isSame(before.components.securitySchemes, after.components.securitySchemes)
      ? []
      : ['The way to authenticate changed.']),
  ];
  for (const [path, operations] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      const successor = after.paths[path]?.[method];
      if (successor) changes.push(...changesOf(name, operation, successor));
      else if (!operation['x-sunset'] || today < new Date(operation['x-sunset'])) {
        changes.push(`${name} was removed before its sunset.`);
      }
    }
  }
  return changes;
}

function changesOf(name: string, before: OperationObject, after: OperationObject): string[] {
  return [
    ...(before.operationId === after.operationId ? [] : [`${name} has another operationId.`]),
    ...(isSame(before.security, after.security)
      ? []
      : [`${name} has another security requirement.`]),
    ...(isSame(before['x-stability'], after['x-stability']) || !after['x-stability']
      ? []
      : [`${name} became ${after['x-stability']}.`]),
    ...(before['x-sunset'] && after['x-sunset'] && after['x-sunset'] < before['x-sunset']
      ? [`${name} ends sooner, on ${after['x-sunset']}.`]
      : []),
    ...parameterChanges(name, before.parameters ?? [], after.parameters ?? []),
    ...bodyChanges(name, before.requestBody, after.requestBody),
    ...responseChanges(name, before.responses, after.responses),
    ...newSuccesses(name, before.responses, after.responses),
  ];
}

function parameterChanges(name: string, before: Parameter[], after: Parameter[]): string[] {
  const twin = (list: Parameter[], { name, in: place }: Parameter) =>
    list.find((each) => each.name === name && each.in === place);
  return [
    ...before.flatMap((parameter) => {
      const successor = twin(after, parameter);
      if (!successor) return [`${name}: the parameter ${parameter.name} was removed.`];
      return narrowings(`${name}: ${parameter.name}`, parameter.schema, successor.schema);
    }),
    ...after
      .filter((parameter) => parameter.required && !twin(before, parameter)?.required)
      .map((parameter) => `${name}: the parameter ${parameter.name} became required.`),
  ];
}

type RequestBody = OperationObject['requestBody'];

function bodyChanges(name: string, before: RequestBody, after: RequestBody): string[] {
  if (!before) return after?.required ? [`${name} requires a body.`] : [];
  if (!after) return [`${name} takes no body any more.`];
  return [
    ...(after.required && !before.required ? [`${name} requires a body.`] : []),
    ...contentChanges(`${name} body`, before.content, after.content, narrowings),
  ];
}

function responseChanges(name: string, before: Responses, after: Responses): string[] {
  return Object.entries(before).flatMap(([status, response]) => {
    const successor = after[status];
    // An error that no longer happens breaks nobody.
    if (!successor) return status.startsWith('2') ? [`${name}: ${status} was removed.`] : [];
    const headers = Object.entries(response.headers ?? {}).flatMap(([header, described]) => {
      const at = `${name}: ${status} header ${header}`;
      const next = successor.headers?.[header];
      if (!next) return [`${at} was removed.`];
      const isLoosened = described.required && !next.required;
      return [
        ...(isLoosened ? [`${at} may be missing.`] : []),
        ...widenings(at, described.schema, next.schema),
      ];
    });
    const at = `${name}: ${status} body`;
    const contents = [response.content ?? {}, successor.content ?? {}] as const;
    return [...headers, ...contentChanges(at, ...contents, widenings)];
  });
}

function newSuccesses(name: string, before: Responses, after: Responses): string[] {
  return Object.keys(after)
    .filter((status) => status.startsWith('2') && !before[status])
    .map((status) => `${name}: ${status} may be answered.`);
}

function contentChanges(
  at: string,
  before: Content,
  after: Content,
  compare: typeof narrowings,
): string[] {
  return Object.entries(before).flatMap(([mediaType, { schema }]) => {
    const successor = after[mediaType];
    return successor ? compare(at, schema, successor.schema) : [`${at}: ${mediaType} was removed.`];
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Puts what a `$ref` names in its place; the descriptions of this interface have no cycles. */
function withoutReferences(value: unknown, description: Json): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withoutReferences(item, description));
  const { $ref, ...members } = value as Json;
  const entries = Object.entries({
    ...(typeof $ref === 'string' && resolve($ref, description)),
    ...members,
  });
  return Object.fromEntries(
    entries.map(([name, member]) => [name, withoutReferences(member, description)]),
  );
}

function resolve(reference: string, description: Json): Json {
  const steps = reference.replace('#/', '').split('/');
  return steps.reduce<Json>((place, step) => place[step] as Json, description);
}
