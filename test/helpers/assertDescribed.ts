import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type ErrorCode, errorStatuses } from '../../lib/errors.ts';
import { parseExactJson } from '../../lib/exactJson.ts';
import { findRoute } from '../../lib/http/routes.ts';

export type Answer = {
  status: number;
  /** By names in lower case. */
  headers: Record<string, string | undefined>;
  text: string;
};

type Schema = {
  $ref?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
};
type Header = { $ref?: string; schema?: object };
type Headers = Record<string, Header>;
type Body = Record<string, unknown>;

const description = JSON.parse(readFileSync('openapi.json', 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('int64', true); // asserted on the exact digits, of which ajv sees doubles
ajv.addSchema(description, 'openapi.json');

/** What HTTP itself puts on a response. */
const transportHeaders = ['content-type', 'content-length', 'date', 'connection', 'keep-alive'];

/** What the gateway may answer before our code is asked, and so without what our code adds. */
const gatewayStatuses = [400, 403, 413, 429, 504];

const common: Headers = {
  'Cache-Control': { $ref: '#/components/headers/CacheControl' },
  'X-Content-Type-Options': { $ref: '#/components/headers/ContentTypeOptions' },
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
};

/** What answers where no operation is: the fallback, or the gateway itself. */
const fallback: Record<number, Headers> = {
  400: {},
  401: { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } },
  404: {},
  405: { Allow: { schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' } } },
  413: {},
  500: {},
  503: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
};

/**
 * Asserts that a response is what the description says and nothing else: its status, its headers and
 * its body, to the last member and digit.
 *
 * `path` is below the origin, without a query: `/v1/pets/7`.
 */
export function assertDescribed(method: string, path: string, answer: Answer): void {
  const request = `${method} ${path} → ${answer.status}`;
  const assert = (isTrue: unknown, trouble: string) => {
    if (!isTrue) throw new Error(`${request} ${trouble}`);
  };
  const route = findRoute(path);
  const isOperation = route?.operationNames[method] !== undefined;
  const response = isOperation
    ? description.paths[route.template][method.toLowerCase()].responses[answer.status]
    : fallback[answer.status] && { headers: { ...common, ...fallback[answer.status] } };
  assert(response, 'is not described.');

  assert(answer.headers['content-type'] === 'application/json', 'is not declared as JSON.');
  assertHeaders(response.headers, answer, assert);

  if (method === 'HEAD') return;
  const pointer = isOperation
    ? `/paths/${pointerStep(route.template)}/${method.toLowerCase()}/responses/${answer.status}/content/${pointerStep('application/json')}/schema`
    : '/components/schemas/Error';
  const validate = ajv.getSchema(`openapi.json#${pointer}`);
  const isValid = validate?.(JSON.parse(answer.text));
  assert(isValid, `has another body than described. ${ajv.errorsText(validate?.errors)}`);
  const schema = response.content?.['application/json'].schema ?? {
    $ref: '#/components/schemas/Error',
  };
  assertExact(schema, parseExactJson(answer.text), assert);
  if (answer.status >= 400) {
    const { code, status } = JSON.parse(answer.text) as { code: ErrorCode; status: number };
    assert(status === answer.status, `says the status ${status} in its body.`);
    assert(errorStatuses[code] === answer.status, `says the code ${code}.`);
  }
}

type Assert = (isTrue: unknown, trouble: string) => void;

function assertHeaders(described: Headers, { status, headers }: Answer, assert: Assert): void {
  for (const [name, header] of Object.entries(described)) {
    const { schema } = dereference<Header>(header);
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

function isOptional({ $ref = '' }: Header, status: number): boolean {
  if ($ref.endsWith('/NextLink')) return true;
  return /\/(Deprecation|Sunset|SuccessorLink)$/.test($ref) && gatewayStatuses.includes(status);
}

/** Asserts what ajv cannot: no member beyond the described ones, and every int64 within its range. */
function assertExact(schema: Schema, value: unknown, assert: Assert): void {
  const { format, properties, items } = dereference<Schema>(schema);
  if (format === 'int64') assert(typeof value === 'bigint', `has ${value} for an int64.`);
  if (items) for (const item of value as unknown[]) assertExact(items, item, assert);
  if (properties) {
    for (const [name, member] of Object.entries(value as Body)) {
      const described = properties[name];
      assert(described, `has the member ${name}, which is not described.`);
      if (described) assertExact(described, member, assert);
    }
  }
}

function dereference<T extends { $ref?: string }>(value: T): T {
  const [, , kind = '', id = ''] = value.$ref?.split('/') ?? [];
  return value.$ref ? description.components[kind][id] : value;
}

function pointerStep(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}
