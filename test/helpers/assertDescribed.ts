import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type ErrorCode, errorStatuses } from '../../lib/errors.ts';
import { findRoute } from '../../lib/http/routes.ts';
import { parseExactJson } from '../../lib/int64.ts';

type DescribedResponse = {
  status: number;
  /** By names in lower case. */
  headers: Record<string, string | undefined>;
  text: string;
};
type Reference = { $ref?: string };
type Header = Reference & { schema?: object };
type ResponseObject = Reference & {
  headers: Record<string, Header>;
  content: { 'application/json': { schema: object } };
};
type OperationObject = { responses: Record<number, ResponseObject> };
type OpenApiDocument = {
  paths: Record<string, Record<string, OperationObject>>;
  components: Record<string, Record<string, never>>;
};

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int32: true, int64: true } });
// `parseExactJson` reads each exact integer as a bigint, which ajv does not know.
ajv.addKeyword({
  keyword: 'exactInteger',
  validate: (schema: object, value: unknown) =>
    typeof value === 'bigint' && ajv.validate(schema, Number(value)),
});

/** The document, with exact integers, and with no member that it does not describe. */
const openApiDocument = JSON.parse(readFileSync('openapi.json', 'utf8'), (key, value) => {
  if (key === '$ref') return `openapi.json${value}`;
  const { type } = (value ?? {}) as { type?: unknown };
  if (type === 'integer') return { exactInteger: value };
  return type === 'object' ? { ...(value as object), additionalProperties: false } : value;
}) as OpenApiDocument;
ajv.addSchema(openApiDocument, 'openapi.json');

const reference = (path: string) => ({ $ref: `openapi.json#/components/${path}` });

const commonHeaders = {
  'Cache-Control': reference('headers/CacheControl'),
  'X-Content-Type-Options': reference('headers/ContentTypeOptions'),
  'X-Request-Id': reference('headers/RequestId'),
};

/** The further headers that responses of no operation may have: those of the fallback or the gateway. */
const fallbackHeaders: Record<number, Record<string, Header>> = {
  400: {},
  401: { 'WWW-Authenticate': reference('headers/Challenge') },
  404: {},
  405: { Allow: { schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' } } },
  413: {},
  500: {},
  503: { 'Retry-After': reference('headers/RetryAfter') },
};

/**
 * Asserts that a response is as openapi.json describes it: the status, the headers and the body.
 *
 * It has the headers of every response, no other header or member than described, and every digit is
 * exact. `path` is below the origin, without a query: `/v1/pets/7`.
 */
export function assertDescribed(method: string, path: string, response: DescribedResponse): void {
  const { status, headers, text } = response;
  const request = `${method} ${path} → ${status}`;
  const schemas = findSchemas(method, path, status);
  if (!schemas) throw new Error(`${request} is not in openapi.json: run npm run openapi.`);

  assertValid(`${request} headers`, schemas.headers, headers);
  if (method === 'HEAD') return;
  const body = parseExactJson(text);
  assertValid(`${request} body`, schemas.body, body);
  if (status < 400) return;
  const error = body as { code: ErrorCode; status: bigint };
  if (Number(error.status) !== status || errorStatuses[error.code] !== status) {
    throw new Error(`${request} has the body of another error: ${text}`);
  }
}

function assertValid(what: string, schema: object, value: unknown): void {
  if (!ajv.validate(schema, value)) throw new Error(`${what}: ${ajv.errorsText()}`);
}

type Schemas = { headers: object; body: object };
/** Kept, because ajv compiles each object once. */
const known = new Map<string, Schemas>();

function findSchemas(method: string, path: string, status: number): Schemas | undefined {
  const { template = '', operationNames } = findRoute(path) ?? {};
  const name = operationNames?.[method];
  const key = `${name} ${status}`;
  const schemas =
    known.get(key) ?? (name ? ofOperation(method, template, status) : ofFallback(status));
  if (schemas) known.set(key, schemas);
  return schemas;
}

function ofFallback(status: number): Schemas | undefined {
  const headers = fallbackHeaders[status];
  if (!headers) return undefined;
  const all = { ...commonHeaders, ...headers };
  return { headers: headersSchema(all), body: reference('schemas/Error') };
}

function ofOperation(method: string, template: string, status: number): Schemas | undefined {
  const described = openApiDocument.paths[template]?.[method.toLowerCase()]?.responses[status];
  if (!described) return undefined;

  const { headers, content } = dereference(described);
  return { headers: headersSchema(headers), body: content['application/json'].schema };
}

function headersSchema(described: Record<string, Header>): object {
  const schemas = Object.entries(described).map(([name, header]) => [
    name.toLowerCase(),
    dereference(header).schema,
  ]);
  const ofHttp = ['content-length', 'content-encoding', 'date', 'connection', 'keep-alive'];
  return {
    type: 'object',
    properties: {
      'content-type': { const: 'application/json' },
      ...Object.fromEntries(ofHttp.map((name) => [name, {}])),
      ...Object.fromEntries(schemas),
    },
    required: ['content-type', ...Object.keys(commonHeaders).map((name) => name.toLowerCase())],
    additionalProperties: false,
  };
}

function dereference<T extends Reference>(value: T): T {
  const [, , kind = '', id = ''] = value.$ref?.split('/') ?? [];
  return openApiDocument.components[kind]?.[id] ?? value;
}

const plainFetch = globalThis.fetch;
const describedOrigins = new Set<string>();

/** From now on every response from an origin must be as openapi.json describes it. */
export function expectDescribed(origin: string): void {
  describedOrigins.add(origin);
}

globalThis.fetch = async function describedFetch(input, init) {
  const { method, url } = new Request(input, init);
  const response = await plainFetch(input, init);
  const { origin, pathname } = new URL(url);
  if (describedOrigins.has(origin) && pathname.startsWith('/v1')) {
    const headers = Object.fromEntries(response.headers);
    const { status } = response;
    assertDescribed(method, pathname, { status, headers, text: await response.clone().text() });
  }
  return response;
};
