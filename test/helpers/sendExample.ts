import type { OperationName } from '../../lib/operations.ts';
import { call } from './api.ts';
import { exampleRequest } from './exampleRequests.ts';
import { functions } from './gateway.ts';

/** Sends the example of an operation to its function. */
export function sendExample(name: OperationName) {
  return call(functions[name], exampleRequest(name));
}
