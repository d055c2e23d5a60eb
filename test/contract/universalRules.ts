import { expect } from 'vitest';
import openApiDocument from '../../openapi.json' with { type: 'json' };
import { petShape } from './petResource.ts';
import type { Received } from './send.ts';
import { pathOf } from './serviceUnderTest.ts';

/** The closed list of error codes, each with its status. */
const errorStatuses: Record<string, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  internal_error: 500,
  service_unavailable: 503,
  gateway_timeout: 504,
};

/** An error message must not reveal a stack, a file or a library. */
const internals = /node_modules|\/var\/task|\.m?[jt]s\b|\bat \S+ \(|zod|middy|dynamodb|aws-sdk/i;

/** The operations whose removal is announced. */
const removals: Record<string, { deprecation: string; sunset: string; successor: string }> = {
  'GET /pets/{petId}': {
    deprecation: '@1795132800',
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    successor: '/pets',
  },
};

/** The paths of the OpenAPI document. A fixed segment comes before a parameter. */
const routes = Object.keys(openApiDocument.paths)
  .sort()
  .map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));

const seenRequestIds = new Set<string>();

/** Checks the rules that every response follows. */
export function expectUniversalRules(received: Received): void {
  const { status } = received;
  expectCommonHeaders(received);
  if (showsPets(received)) expectPets(received);
  // A response to HEAD has no body.
  if (status >= 400 && received.method !== 'HEAD') expectErrorBody(received);
  if (status === 201) pathOf(header(received, 'Location') ?? 'no Location');
  if (status === 401) {
    expect(challengeOf(received), title(received, 'has a challenge')).toMatch(
      /^Bearer realm="petstore"(, error="invalid_token")?$/,
    );
  }
  if (status === 405) expect(header(received, 'Allow')).toMatch(/^[A-Z]+(, ?[A-Z]+)*$/);
  if (status === 503) expect(header(received, 'Retry-After')).toMatch(/^\d+$/);
  expectDeprecation(received);
}

/** A REST API of API Gateway renames this header of a function. */
export function challengeOf({ headers }: Received): string | null {
  return headers.get('WWW-Authenticate') ?? headers.get('x-amzn-remapped-www-authenticate');
}

/** Expects an error by its status and code, with a message that matches every part. */
export function expectError(received: Received, code: string, ...messageParts: RegExp[]): void {
  const status = errorStatuses[code];
  expect(received.status, title(received, `is ${status} ${code}`)).toBe(status);
  if (received.method === 'HEAD') return;
  expect(received.json.code, title(received, `is ${code}`)).toBe(code);
  for (const part of messageParts) expect(received.json.message).toMatch(part);
}

export function expectStatus(received: Received, status: number): void {
  expect(received.status, title(received, `is ${status}: ${received.text.slice(0, 300)}`)).toBe(
    status,
  );
}

function expectCommonHeaders(received: Received): void {
  const expectHeader = (name: string) =>
    expect(header(received, name), title(received, `has the header ${name}`));
  expectHeader('Cache-Control').toBe('no-store');
  expectHeader('X-Content-Type-Options').toBe('nosniff');
  expectHeader('Content-Type').toMatch(/^application\/json\b/);
  expectHeader('X-Request-Id').toMatch(/\S/);
  const requestId = header(received, 'X-Request-Id') ?? '';
  expect(seenRequestIds, title(received, 'has an X-Request-Id of its own')).not.toContain(
    requestId,
  );
  seenRequestIds.add(requestId);
}

/** Returns the path of the OpenAPI document that a request names, or nothing. */
function templateOf({ path }: Received): string {
  const [withoutQuery = ''] = path.split('?');
  return routes.find(({ pattern }) => pattern.test(withoutQuery))?.template ?? '';
}

/** Whether the OpenAPI document describes the body as a pet, or as an array of pets. */
function showsPets(received: Received): boolean {
  const paths: Record<string, Record<string, { responses: object }>> = openApiDocument.paths;
  const { responses } = paths[templateOf(received)]?.[received.method.toLowerCase()] ?? {};
  const response = Object.entries(responses ?? {}).find(
    ([status]) => status === `${received.status}`,
  );
  return JSON.stringify(response ?? '').includes('"#/components/schemas/Pet"');
}

function expectPets(received: Received): void {
  // An optional member that is absent is matched as `undefined`.
  const absent = Object.fromEntries(Object.keys(petShape).map((member) => [member, undefined]));
  for (const pet of [received.json].flat()) {
    const members = { ...absent, ...pet };
    expect(members, title(received, 'contains exactly the members of a pet')).toStrictEqual(
      petShape,
    );
  }
}

function expectErrorBody(received: Received): void {
  const { json, status } = received;
  expect(json, title(received, 'has exactly code, message and status')).toEqual({
    code: expect.any(String),
    message: expect.any(String),
    status: BigInt(status),
  });
  expect(errorStatuses[json.code], title(received, `may have the code ${json.code}`)).toBe(status);
  expect(json.message, title(received, 'names no internals')).not.toMatch(internals);
}

/** An operation announces its removal on every response of the service's own code. */
function expectDeprecation(received: Received): void {
  const removal = removals[`${received.method} ${templateOf(received)}`];
  // API Gateway itself sends the others, before the function runs.
  if (removal && ![200, 401, 404, 500, 503].includes(received.status)) return;
  const links = [...(header(received, 'Link') ?? '').matchAll(/<([^>]*)>\s*;\s*rel="?([\w-]+)"?/g)];
  const successors = links.filter(([, , relation]) => relation === 'successor-version');
  expect(
    {
      deprecation: header(received, 'Deprecation'),
      sunset: header(received, 'Sunset'),
      successors: successors.map(([, link = '']) => pathOf(link)),
    },
    title(received, `announces ${removal ? 'its' : 'no'} removal`),
  ).toEqual({
    deprecation: removal?.deprecation ?? null,
    sunset: removal?.sunset ?? null,
    successors: removal ? [removal.successor] : [],
  });
}

function header({ headers }: Received, name: string): string | null {
  return headers.get(name);
}

function title({ method, path, status, headers }: Received, rule: string): string {
  const request = `${method} ${path.slice(0, 80)}`;
  return `the response ${status} to ${request} (X-Request-Id ${headers.get('X-Request-Id')}) ${rule}`;
}
