import './database.ts';
import { vi } from 'vitest';
import { config } from '../../lib/config.ts';
import type { RawEvent } from '../../lib/http/event.ts';
import type { Handler } from '../../lib/http/handler.ts';
import { stringifyExactJson } from '../../lib/int64.ts';
import { type OperationName, operationEntries } from '../../lib/operations.ts';
import { issueApiKey } from '../../tools/apiKeyRegistry.ts';
import { checkResponse } from '../contract/checkResponse.ts';
import { gatewayEvent } from './gatewayEvent.ts';

export const registry = { stage: config().stage, tableName: config().tableNames.apiKeys };

/** A valid key of this test file's stage. */
export const apiKey = await issueApiKey(registry, { name: 'test' });

export const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

export type Sent = {
  headers?: Record<string, string>;
  idempotencyKey?: string;
  query?: Record<string, string | string[]>;
  pathParameters?: Record<string, string>;
  /** A string is sent unchanged. Other values are sent as JSON, with all digits of a `bigint`. */
  body?: unknown;
  event?: RawEvent;
  context?: Parameters<Handler>[1];
};

type Received = {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape, that is its purpose
  json: any;
};

/**
 * Calls a handler with a complete REST proxy event, as API Gateway does, and with the key by default.
 *
 * Throws if the response breaks a promise of every response.
 */
export async function call(handler: Handler, sent: Sent = {}): Promise<Received> {
  const event = restEvent(operationNames.get(handler) ?? 'listPets', sent);
  const { statusCode, headers, body } = await handler(event, sent.context);
  checkResponse({
    method: event.httpMethod ?? '',
    path: /^\/v1(\/.*)/.exec(event.path ?? '')?.[1] ?? 'outside of /v1',
    status: statusCode,
    headers: new Headers(headers),
    text: body,
  });
  return { status: statusCode, headers, text: body, json: body && JSON.parse(body) };
}

/** Loads new copies of a function's modules, like a Lambda instance that starts with these settings. */
export async function loadHandler(
  name: OperationName | 'fallback',
  environment: Record<string, string | undefined>,
): Promise<Handler> {
  vi.resetModules();
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
  const { handler } = await import(`../../functions/${name}.ts`);
  // The start of an instance reads the settings, see warmUp.ts. After the test they are no longer stubbed.
  (await import('../../lib/config.ts')).config();
  if (name !== 'fallback') operationNames.set(handler, name);
  return handler;
}

/** The operations of the handlers that a test file may import or load. */
const operationNames = new Map<Handler, OperationName>();
for (const [name] of operationEntries) {
  const { handler } = await import(`../../functions/${name}.ts`);
  operationNames.set(handler, name);
}

/** Makes a REST API event of an operation, with the key by default. */
export function restEvent(name: OperationName, sent: Sent = {}): RawEvent {
  const { headers, idempotencyKey, query, pathParameters, body, event } = sent;
  const made = gatewayEvent(name, {
    headers: {
      ...bearer(apiKey).headers,
      'X-Forwarded-Proto': 'https',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...headers,
    },
    query,
    pathParameters,
    body: body === undefined || typeof body === 'string' ? body : stringifyExactJson(body),
  });
  return { ...made, ...event };
}
