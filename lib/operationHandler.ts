import type * as z from 'zod/mini';
import type { ApiEvent } from './ApiEvent.ts';
import { stringifyExactJson } from './exactJson.ts';
import { type OperationName, operations } from './operations.ts';
import { requestHandler } from './requestHandler.ts';

type Input<Name extends OperationName> = {
  [Part in keyof (typeof operations)[Name]['input']]: z.output<
    (typeof operations)[Name]['input'][Part]
  >;
};

type OperationRequest<Name extends OperationName> = {
  /** Authenticated: the stack lets no other event through. */
  event: ApiEvent & { apiKeyId: string };
  input: Input<Name>;
};

type Answer<Name extends OperationName> = { headers?: Record<string, string> } & (
  | { body: z.output<(typeof operations)[Name]['output']> }
  /** The body where it is JSON text already. */
  | { json: string }
);

/** Makes the Lambda handler of an operation: its row of the table, the stack, and its own logic. */
export function operationHandler<Name extends OperationName>(
  name: Name,
  answer: (request: OperationRequest<Name>) => Promise<Answer<Name>>,
) {
  const operation = operations[name];
  return requestHandler(name, operation, async (event) => {
    const result = await answer({
      event: event as OperationRequest<Name>['event'],
      input: event.input as Input<Name>,
    });
    return {
      statusCode: operation.successStatus,
      headers: { 'Content-Type': 'application/json', ...result.headers },
      body: 'json' in result ? result.json : stringifyExactJson(result.body),
    };
  });
}
