import { lastPart, type Schema, unionOf, writeComment, writeType } from './clientTypes.ts';

type Parameter = Pick<Schema, 'description'> & {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
};

type Body = { content?: { 'application/json': { schema: Schema } } };

type Described = {
  operationId: string;
  description: string;
  deprecated?: boolean;
  parameters: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
};

type OpenApiDocument = {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};

type Operation = ReturnType<typeof readOperation>;

/**
 * Writes `client/src/generated.ts`: the types of the client, and what it sends and checks.
 *
 * Throws for what the client cannot send or check, and for two parts of one name.
 */
export function generateClient({ paths, components }: OpenApiDocument): string {
  const { Error: error, ...schemas } = components.schemas;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => readOperation(method, path, described)),
  );
  const lists = operations.filter(({ items }) => items);
  // The first list keeps the name that its page has in a client with one list.
  const pageType = (list: Operation) => (list === lists[0] ? 'Page' : `${list.collection}Page`);
  const types: [name: string, Schema][] = [
    ...Object.entries(schemas),
    ...operations.flatMap(({ query, queryType }): [string, Schema][] =>
      query ? [[queryType, query]] : [],
    ),
    ...lists.map((list): [string, Schema] => [pageType(list), pageSchema(list)]),
  ];
  const methods = operations.flatMap(({ name, walk }) => (walk ? [name, walk] : [name]));
  const names = [...methods, ...types.map(([name]) => name)];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`The client would have ${twice} twice: rename one of them.`);

  const sent = operations.flatMap(({ body, queryType }) => [body, queryType]);
  const texts = new Map(
    operations.map(({ name, method, path }) => [`\`${method} ${path}\``, `\`${name}\``]),
  );
  const rows = operations.map((operation) => {
    const { name, method, path, status, body, query, takesKey, item, items, walk } = operation;
    const members = item && membersOf(item, schemas);
    const has = { hasBody: body && true, hasQuery: query && true };
    return [name, { method, path, status, ...has, takesKey, items, walk, members }];
  });
  return `// Written by \`npm run openapi\`, from the rows of lib/operations.ts and the texts of openapi/.
import type { CallOptions, CreationOptions, CreationResponse, PageQuery, ResponsePromise } from './types.ts';

/** The error codes of this version of the service. */
export type ServiceErrorCode = ${unionOf(error?.properties?.code?.['x-extensible-enum'])};

${types.map(([name, schema]) => writeType(name, schema, sent.includes(name))).join('\n')}
/**
 * The operations of the service, one method each.
 *
 * Every method retries temporary failures. It rejects with a \`PetStoreError\` for failures of the
 * service or the network, and with a \`TypeError\` for arguments that cannot be sent.
 */
export type PetStoreClient = {
${operations.map((operation) => writeMethods(operation, pageType(operation), texts)).join('\n')}};

/** @internal What the client sends and checks. */
export const operations = ${JSON.stringify(Object.fromEntries(rows), null, 2).replaceAll(/"(\w+)":/g, '$1:')};
`;
}

/** Reads what the client needs of an operation. */
function readOperation(method: string, path: string, described: Described) {
  const {
    operationId: name,
    description,
    deprecated,
    parameters,
    requestBody,
    responses,
  } = described;
  const [status, response] = Object.entries(responses).find(([each]) => Number(each) < 300) ?? [];
  const data = response?.content?.['application/json'].schema;
  const isList = data?.type === 'array';
  const query = parameters.filter((each) => each.in === 'query');
  const isPaged = name.startsWith('list') && query.some((each) => each.name === 'cursor');
  if (isList && !isPaged) {
    throw new Error(`${name} is a list: its name begins with "list", and it takes a cursor.`);
  }
  const unknown = parameters.find((each) => !canSend(each));
  if (unknown) throw new Error(`The client cannot send ${unknown.name} of ${name}.`);
  const takesKey = parameters.some(isKey);
  if (method === 'post' && !takesKey) {
    throw new Error(`${name} takes no Idempotency-Key, so the client cannot retry it.`);
  }
  const collection = name.slice('list'.length);
  return {
    name,
    description,
    deprecated,
    method: method.toUpperCase(),
    path,
    status: Number(status),
    ids: parameters.filter((each) => each.in === 'path').map((each) => each.name),
    body: nameOf(requestBody?.content?.['application/json'].schema, name),
    queryType: `${upperFirst(name)}Query`,
    query: query.length > 0 ? querySchema(query, isList) : undefined,
    takesKey: takesKey || undefined,
    /** The schema of the response, or of an item of a list. */
    item: nameOf(isList ? data.items : data, name),
    collection,
    items: isList ? lowerFirst(collection) : undefined,
    walk: isList ? `all${collection}` : undefined,
  };
}

function isKey(parameter: Parameter): boolean {
  return parameter.in === 'header' && parameter.name === 'Idempotency-Key';
}

function canSend(parameter: Parameter): boolean {
  const { in: place, schema } = parameter;
  if (place === 'path') return schema.type === 'integer';
  return place === 'query' ? schema.type !== 'array' : isKey(parameter);
}

/** The type of a list's query adds its filters to the `PageQuery` of all lists. */
function querySchema(parameters: Parameter[], isList: boolean): Schema {
  const own = parameters.filter(({ name }) => !isList || !['limit', 'cursor'].includes(name));
  const properties = own.map(({ name, schema, description }) => [name, { ...schema, description }]);
  const required = own.filter((each) => each.required).map(({ name }) => name);
  const base = isList ? 'PageQuery' : undefined;
  return { base, properties: Object.fromEntries(properties), required };
}

function pageSchema({ name, items = '', item, queryType }: Operation): Schema {
  const description = `The query of the next page for \`${name}\`. Absent on the last page.`;
  const properties = {
    [items]: { type: 'array', items: { $ref: `/${item}` } },
    next: { $ref: `/${queryType}`, description },
  };
  return { properties, required: [items] };
}

/** Returns the members that every value of a schema has, with the type that each has at run time. */
function membersOf(name: string, schemas: Record<string, Schema>) {
  const { properties = {}, required = [] } = schemas[name] ?? {};
  return Object.fromEntries(
    required.map((member) => {
      const { $ref, type = schemas[lastPart($ref)]?.type } = properties[member] ?? {};
      return [member, type === 'integer' ? 'bigint' : type];
    }),
  );
}

/** Writes the method of an operation, and the method that walks all pages of a list. */
function writeMethods(operation: Operation, page: string, texts: Map<string, string>): string {
  const {
    name,
    ids,
    body,
    query,
    queryType,
    takesKey,
    item = 'undefined',
    items,
    walk,
  } = operation;
  const parameters = [
    ...ids.map((id) => `${id}: bigint | number`),
    ...(body ? [`${lowerFirst(body)}: ${body}`] : []),
    ...(query ? [`query${query.required?.length ? '' : '?'}: ${queryType}`] : []),
    `options?: ${takesKey ? 'CreationOptions' : 'CallOptions'}`,
  ].join(', ');
  const data = items ? page : item;
  const result = takesKey ? `${data}, CreationResponse<${data}>` : data;
  const method = `${writeComment(methodText(operation, texts), '  ')}  ${name}(${parameters}): ResponsePromise<${result}>;\n`;
  if (!items) return method;
  const text = `Iterates over all ${items} in the order of \`${name}\`, in pages of \`query.limit\`, by default 100.

Each page is requested when the iteration reaches it. What was added a moment before the iteration, or
during it, may be missing.`;
  return `${method}\n${writeComment(text, '  ')}  ${walk}(${parameters}): AsyncGenerator<${item}, void, undefined>;\n`;
}

/** Returns the description of an operation, in which methods of the client stand for methods and paths of HTTP. */
function methodText({ description, deprecated, takesKey }: Operation, texts: Map<string, string>) {
  const [text, removal] = description
    .replaceAll(/`[A-Z]+ [^`]+`/g, (sent) => texts.get(sent) ?? sent)
    .split(' Deprecated since ');
  const promise = takesKey ? ' Retries never add a second one.' : '';
  return `${text}${promise}${deprecated ? `\n\n@deprecated Since ${removal}` : ''}`;
}

function nameOf(schema: Schema | undefined, operation: string): string | undefined {
  if (schema && !schema.$ref) {
    throw new Error(`A body of ${operation} has no name: give it one by nameSchema in openapi/.`);
  }
  return schema && lastPart(schema.$ref);
}

function upperFirst(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
