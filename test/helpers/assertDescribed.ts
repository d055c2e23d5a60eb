import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type ErrorCode, errorStatuses } from '../../lib/errors.ts';
import { parseExactJson } from '../../lib/exactJson.ts';
import { findRoute } from '../../lib/http/routes.ts';

export type DescribedResponse = {
  status: number;
  /** By names in lower case. */
  headers: Record<string, string | undefined>;
  text: string;
};

type Reference = { $ref?: string };
type Schema = Reference & {
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
};
type Headers = Record<string, Reference & { schema?: object }>;
type ResponseObject = Reference & {
  headers: Headers;
  content: { 'application/json': { schema: Schema } };
};
type OperationObject = {
  deprecated?: boolean;
  'x-stability'?: string;
  responses: Record<number, ResponseObject>;
};

const openApiDocument = JSON.parse(readFileSync('openapi.json', 'utf8'));
// `npm run check:openapi` validates the schemas, which takes 15 ms in each test file.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
ajv.addFormat('int64', true); // asserted on the exact digits; ajv sees doubles
ajv.addFormat('int32', { type: 'number', validate: (value) => value === (value | 0) });
ajv.addSchema(openApiDocument, 'openapi.json');

/** Headers that HTTP itself adds to a response. */
const transportHeaders = [
  ...['content-type', 'content-length', 'content-encoding', 'date', 'connection', 'keep-alive'],
];

/** Statuses that the gateway may send before our code runs, and so without the headers it adds. */
const gatewayStatuses = [400, 403, 413, 429, 504];

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers of responses outside the operations, which the fallback function or the gateway sends. */
const fallback: Record<number, Headers> = {
  400: {},
  401: { 'WWW-Authenticate': header('Challenge') },
  404: {},
  405: { Allow: { schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' } } },
  413: {},
  500: {},
  503: { 'Retry-After': header('RetryAfter') },
};

type Described = { headers: Headers; schema: Schema; pointer: string };

/**
 * Asserts that a response is as the OpenAPI document describes it: the status, the headers and the body.
 *
 * It has no other header or member, and every digit is exact. `path` is below the origin, without a
 * query: `/v1/pets/7`.
 */
export function assertDescribed(method: string, path: string, response: DescribedResponse): void {
  const request = `${method} ${path} → ${response.status}`;
  const assert: Assert = (isTrue, problem) => {
    if (!isTrue) throw new Error(`${request} ${problem}`);
  };
  const described = findDescription(method, path, response.status);
  assert(described, 'is not described.');
  if (!described) return;

  assert(response.headers['content-type'] === 'application/json', 'is not declared as JSON.');
  assertHeaders(described.headers, response, assert);

  if (method === 'HEAD') return;
  const validate = ajv.getSchema(`openapi.json#${described.pointer}`);
  const isValid = validate?.(JSON.parse(response.text));
  assert(isValid, `has another body than described. ${ajv.errorsText(validate?.errors)}`);
  assertExact(described.schema, parseExactJson(response.text), assert);
  if (response.status >= 400) {
    const { code, status } = JSON.parse(response.text) as { code: ErrorCode; status: number };
    assert(status === response.status, `says the status ${status} in its body.`);
    assert(errorStatuses[code] === response.status, `says the code ${code}.`);
  }
}

type Assert = (isTrue: unknown, problem: string) => void;

function findDescription(method: string, path: string, status: number): Described | undefined {
  const route = findRoute(path);
  if (route?.operationNames[method] === undefined) {
    const headers = fallback[status];
    const common = {
      'Cache-Control': header('CacheControl'),
      'X-Content-Type-Options': header('ContentTypeOptions'),
      'X-Request-Id': header('RequestId'),
    };
    const pointer = '/components/schemas/Error';
    return (
      headers && { headers: { ...common, ...headers }, schema: { $ref: `#${pointer}` }, pointer }
    );
  }
  const operation: OperationObject = openApiDocument.paths[route.template][method.toLowerCase()];
  const reference = operation.responses[status];
  if (!reference) return undefined;

  const { headers, content } = dereference(reference);
  const place =
    reference.$ref?.slice(1) ??
    `/paths/${pointerStep(route.template)}/${method.toLowerCase()}/responses/${status}`;
  return {
    headers: Object.fromEntries(
      Object.entries(headers).filter(([, each]) => belongsTo(operation, each)),
    ),
    schema: content['application/json'].schema,
    pointer: `${place}/content/${pointerStep('application/json')}/schema`,
  };
}

const ofDeprecation = /\/(Deprecation|Sunset|SuccessorLink)$/;

/** The error responses are shared: they list headers that only some of the operations add. */
function belongsTo(operation: OperationObject, { $ref = '' }: Reference): boolean {
  if (ofDeprecation.test($ref)) return operation.deprecated === true;
  return !$ref.endsWith('/Stability') || operation['x-stability'] !== undefined;
}

function assertHeaders(
  described: Headers,
  { status, headers }: DescribedResponse,
  assert: Assert,
): void {
  for (const [name, header] of Object.entries(described)) {
    const { schema } = dereference(header);
    const value = headers[name.toLowerCase()];
    assert(value !== undefined || isOptional(header, status), `lacks the header ${name}.`);
    const isValid = value === undefined || (schema && ajv.validate(schema, value));
    assert(isValid, `has the header ${name}: ${value}.`);
  }
  const known = [...Object.keys(described).map((name) => name.toLowerCase()), ...transportHeaders];
  for (const name of Object.keys(headers)) {
    assert(known.includes(name), `has the header ${name}, which is not described.`);
  }
}

function isOptional({ $ref = '' }: Reference, status: number): boolean {
  if ($ref.endsWith('/NextLink')) return true;
  return ofDeprecation.test($ref) && gatewayStatuses.includes(status);
}

/** Asserts what ajv cannot: no member that is not described, and an exact integer for every int64. */
function assertExact(schema: Schema, value: unknown, assert: Assert): void {
  const { format, properties, items } = dereference(schema);
  if (format === 'int64') assert(typeof value === 'bigint', `has ${value} for an int64.`);
  if (items) for (const item of value as unknown[]) assertExact(items, item, assert);
  if (properties) {
    for (const [name, member] of Object.entries(value as object)) {
      const described = properties[name];
      assert(described, `has the member ${name}, which is not described.`);
      if (described) assertExact(described, member, assert);
    }
  }
}

function dereference<T extends Reference>(value: T): T {
  const [, , kind = '', id = ''] = value.$ref?.split('/') ?? [];
  return value.$ref ? openApiDocument.components[kind][id] : value;
}

function pointerStep(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}
