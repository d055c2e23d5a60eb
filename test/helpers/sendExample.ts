import type { OperationName } from '../../lib/operations.ts';
import { call, type Sent } from './api.ts';
import { exampleRequest } from './exampleRequests.ts';
import { functions } from './gateway.ts';

/** Sends the example of an operation to its function, with other or more parts. */
export function sendExample(name: OperationName, changed: Sent = {}) {
  return call(functions[name], { ...exampleRequest(name), ...changed });
}
