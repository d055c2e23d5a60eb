import { expect } from 'vitest';
import { type OperationName, operationEntries, operations } from '../../lib/operations.ts';
import { call, type Sent } from './api.ts';
import { exampleRequest } from './exampleRequests.ts';
import { functions } from './gateway.ts';

/** Sends the example of an operation to its function, with other or more parts. */
export async function sendExample(name: OperationName, changed: Sent = {}) {
  const request = { ...exampleRequest(name), ...changed };
  return call(functions[name], await withCurrentEtag(name, request));
}

/** Returns a request with the ETag that its item has now, if the request has the header If-Match. */
export async function withCurrentEtag(name: OperationName, request: Sent): Promise<Sent> {
  const { headers = {}, pathParameters = {} } = request;
  const [reader] =
    operationEntries.find(
      ([, { method, path }]) => method === 'GET' && path === operations[name].path,
    ) ?? [];
  if (!('If-Match' in headers) || !reader) return request;
  const read = await call(functions[reader], { pathParameters });
  if (read.status !== 200) return request;
  const etag = read.headers.ETag ?? expect.fail(`The response of ${reader} has no ETag.`);
  return { ...request, headers: { ...headers, 'If-Match': etag } };
}
