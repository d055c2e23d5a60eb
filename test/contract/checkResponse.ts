import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import openApiDocument from '../../openapi.json' with { type: 'json' };

export type HttpResponse = {
  method: string;
  /** Below the base address, with or without a query. */
  path: string;
  status: number;
  headers: Headers;
  text: string;
};

/** A path that no operation serves. */
export const unknownPath = '/nothing/here';

type Reference = { $ref?: string };
type HeaderObject = Reference & { schema?: object; required?: boolean };
type ResponseObject = Reference & {
  headers?: Record<string, HeaderObject>;
  /** Absent if the response has no body. */
  content?: { 'application/json': { schema: object; example?: unknown } };
};
type Responses = Record<number, ResponseObject>;
type OperationObject = { responses: Responses; deprecated?: boolean };
type OpenApiDocument = {
  paths: Record<string, Record<string, OperationObject>>;
  components: { responses: Record<string, ResponseObject> };
};

/** An error message must not reveal a stack, a file or a library. */
const internals = /node_modules|\/var\/task|\.m?[jt]s\b|\bat \S+ \(|zod|middy|dynamodb|aws-sdk/i;

const challenge = /^Bearer realm="petstore"(, error="invalid_token")?$/;

/** Statuses of the service itself. Another status may be the gateway's, which announces no removal. */
const announcingStatuses = [200, 401, 404, 500, 503];

/** Whether a header announces the removal of an operation. */
const isAnnouncement = ([name, value]: [string, string]) =>
  /^(deprecation|sunset)$/.test(name) || value.includes('rel="successor-version"');

const component = (path: string) => ({ $ref: `openapi.json#/components/${path}` });
const required = (schema: object): HeaderObject => ({ schema, required: true });
const commonHeaders = {
  'Cache-Control': component('headers/Cache-Control'),
  'X-Content-Type-Options': component('headers/X-Content-Type-Options'),
  'X-Request-Id': component('headers/X-Request-Id'),
};

/** The responses to requests that no operation serves: these, and each error of openapi.json. */
const otherResponses: Responses = {
  // To a preflight request.
  204: {
    headers: {
      ...commonHeaders,
      'Access-Control-Allow-Origin': {},
      'Access-Control-Expose-Headers': {},
      'Access-Control-Allow-Methods': required({ pattern: '^[A-Z]+(, [A-Z]+)*$' }),
      'Access-Control-Allow-Headers': required({ pattern: '\\bAuthorization\\b' }),
      'Access-Control-Max-Age': required({ pattern: '^[0-9]+$' }),
      Vary: required({ const: 'Origin' }),
    },
  },
  404: {
    headers: commonHeaders,
    content: { 'application/json': { schema: component('schemas/Error') } },
  },
  405: {
    headers: { ...commonHeaders, Allow: required({ pattern: '^[A-Z]+(, [A-Z]+)*$' }) },
    content: { 'application/json': { schema: component('schemas/Error') } },
  },
};

/** The headers that HTTP adds. */
const transportHeaders = ['content-length', 'content-encoding', 'date', 'connection', 'keep-alive'];

/** Parses JSON without losing a digit: each integer is a `bigint`. Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value, { source }) =>
      typeof value === 'number' && /^-?\d+$/.test(source) ? BigInt(source) : value,
    );
  } catch {
    return undefined;
  }
}

/** Returns the challenge of a 401. A REST API of API Gateway renames the header of a function's response. */
export function challengeOf(headers: Headers): string {
  return headers.get('WWW-Authenticate') ?? headers.get('x-amzn-remapped-www-authenticate') ?? '';
}

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  // A format is only a hint.
  validateFormats: false,
});
// Each integer is a `bigint`, which ajv does not know.
ajv.addKeyword({
  keyword: 'exactNumber',
  validate: (schema: { type: string }, value: unknown) =>
    typeof value === 'bigint'
      ? BigInt.asIntN(64, value) === value && ajv.validate(schema, Number(value))
      : schema.type === 'number' && ajv.validate(schema, value),
});
// Requires exact numbers, and forbids members that are not described.
const document = JSON.parse(JSON.stringify(openApiDocument), (key, value) => {
  if (key === '$ref') return `openapi.json${value}`;
  const { type } = Object(value);
  if (type === 'integer' || type === 'number') return { exactNumber: value };
  return type === 'object' ? { ...Object(value), additionalProperties: false } : value;
}) as OpenApiDocument;
ajv.addSchema(document, 'openapi.json');

/** Each error code with its status, as the examples of openapi.json have them. The fallback sends 404 and 405. */
export const errorStatuses: Record<string, number> = { not_found: 404, method_not_allowed: 405 };

const describedResponses = [
  ...Object.values(document.components.responses),
  ...Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ responses }) => Object.values(responses)),
  ),
];
for (const response of describedResponses) {
  const { code, status } = Object(response.content?.['application/json'].example);
  if (code === undefined) continue; // a success, or a reference
  errorStatuses[code] = status;
  otherResponses[status] ??= response;
}

const routes = Object.keys(document.paths)
  .sort() // a fixed segment comes before a parameter
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
const validators = new Map<string, ValidateFunction>();

/** Throws unless a response follows openapi.json and the rules of this file. */
export function checkResponse(response: HttpResponse, isBehindGateway = false): void {
  const { method, path, status, headers, text } = response;
  const [withoutQuery = ''] = path.split('?');
  const route = routes.find(({ pattern }) => pattern.test(withoutQuery))?.path ?? '';
  const key = `${method} ${route} ${status} ${isBehindGateway}`;
  const validate = validators.get(key) ?? compile(method, route, status, isBehindGateway);
  validators.set(key, validate);

  const body = text === '' ? text : parseJson(text);
  validate({ headers: Object.fromEntries(headers), body });
  const faults = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  const announced = [...headers].filter(isAnnouncement).length;
  const isDeprecated = rowOf(method, route)?.deprecated === true;
  const mayBeOfGateway = isDeprecated && !announcingStatuses.includes(status);
  if (!mayBeOfGateway && announced !== (isDeprecated ? 3 : 0)) {
    faults.push(`announces its removal by ${announced} of 3 headers`);
  }
  if (status === 401 && !challenge.test(challengeOf(headers))) faults.push('lacks a challenge');
  if (status >= 400 && text !== '') {
    const { code, status: statusInBody, message } = Object(body);
    if (errorStatuses[code] !== status) faults.push('has another code');
    if (statusInBody !== BigInt(status)) faults.push('has another status in its body');
    if (internals.test(message)) faults.push('names internals');
  }
  if (faults.length === 0) return;
  const request = `${method} ${path.slice(0, 80)}`;
  const id = headers.get('X-Request-Id');
  throw new Error(
    `${status} to ${request} (X-Request-Id ${id}): ${faults.join('; ')}: ${JSON.stringify(text.slice(0, 300))}`,
  );
}

/** HEAD has the responses of GET. */
function rowOf(method: string, route: string): OperationObject | undefined {
  return document.paths[route]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
}

function compile(method: string, route: string, status: number, isBehindGateway: boolean) {
  const { responses } = rowOf(method, route) ?? {};
  const described = (responses ?? otherResponses)[status];
  if (!described) throw new Error(`openapi.json has no response ${status} to ${method} ${route}.`);
  const { headers, content } = resolve(described);
  const json = isBehindGateway
    ? { pattern: '^application/json\\b' }
    : { const: 'application/json' };
  const all = { ...headers, ...(content && { 'Content-Type': required(json) }) };
  const entries = Object.entries(all).map(
    ([name, header]) => [name.toLowerCase(), resolve(header)] as const,
  );
  return ajv.compile({
    required: ['body'],
    properties: {
      headers: {
        properties: Object.fromEntries([
          ...transportHeaders.map((name) => [name, true]),
          ...entries.map(([name, { schema = true }]) => [name, schema]),
        ]),
        required: entries.filter(([, header]) => header.required).map(([name]) => name),
        additionalProperties: isBehindGateway,
      },
      body: content && method !== 'HEAD' ? content['application/json'].schema : { const: '' },
    },
  });
}

function resolve<T extends Reference>(value: T): T {
  if (value.$ref === undefined) return value;
  let target: unknown = document;
  for (const key of value.$ref.split('/').slice(1)) target = Object(target)[key];
  if (target === undefined) throw new Error(`openapi.json has nothing at ${value.$ref}.`);
  return target as T;
}
