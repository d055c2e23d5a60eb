import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import type { Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import { stringifyExactJson } from '../int64.ts';
import {
  type Operation,
  type OperationName,
  operations,
  type ResponseHeader,
} from '../operations.ts';
import { type ApiEvent, type ApiResponse, type RawEvent, toApiEvent } from './event.ts';
import { addCommonHeaders, addDeprecationHeaders } from './middlewares/addHeaders.ts';
import { authenticate } from './middlewares/authenticate.ts';
import { formatErrors } from './middlewares/formatErrors.ts';
import { logRequest } from './middlewares/logRequest.ts';
import { omitBody } from './middlewares/omitBody.ts';
import { parseBody } from './middlewares/parseBody.ts';
import { validateInput } from './middlewares/validateInput.ts';

/** A Lambda handler. Called by hand, it needs neither a complete event nor a context. */
export type Handler = (event: RawEvent, context?: Partial<Context>) => Promise<ApiResponse>;

/**
 * Wraps the logic of a function in the shared middleware stack.
 *
 * `before` hooks run from top to bottom, `after` and `onError` hooks from bottom to top. So the first
 * middleware sees each request first and each response last.
 */
export function requestHandler(
  name: string,
  { method, input, deprecation }: Pick<Operation, 'input'> & Partial<Operation>,
  respond: (event: ApiEvent) => Promise<ApiResponse>,
): Handler {
  const stack = [
    logRequest(name),
    omitBody(),
    addCommonHeaders(),
    ...(deprecation ? [addDeprecationHeaders(deprecation)] : []),
    // `logRequest` logs the errors, with the id of the API key.
    httpErrorHandler({ logger: false }),
    formatErrors(),
    authenticate(method),
    ...(input.body ? [parseBody()] : []),
    validateInput(input),
  ];
  // middy's own time-out would not cover the hooks. The event's `abortSignal` ends their calls too.
  const handler = middy<ApiEvent, ApiResponse>({ timeoutEarlyInMillis: 0 })
    .use(stack)
    .handler(respond);
  return async (event, context) => {
    const givenContext = (context ?? {}) as Context;
    return handler(toApiEvent(event ?? {}, givenContext), givenContext);
  };
}

type Input<Name extends OperationName> = {
  [Part in keyof (typeof operations)[Name]['input']]: z.output<
    (typeof operations)[Name]['input'][Part]
  >;
};

type OperationRequest<Name extends OperationName> = {
  /** Authenticated: the stack rejects every other event. */
  event: ApiEvent & { apiKeyId: string };
  input: Input<Name>;
};

/** Only headers that the row declares, so OpenAPI and CORS know them. */
type ResponseHeaders<Name extends OperationName> = (typeof operations)[Name] extends {
  responseHeaders: readonly (infer Header extends ResponseHeader)[];
}
  ? { [Each in Header]?: string }
  : Record<string, never>;

type OperationResult<Name extends OperationName> = {
  headers?: ResponseHeaders<Name>;
} & ((typeof operations)[Name] extends { output: infer Schema }
  ? { output: z.output<Schema> }
  : { output?: never });

/** Makes the Lambda handler of an operation: its row, the middleware stack and its own logic. */
export function operationHandler<Name extends OperationName>(
  name: Name,
  run: (request: OperationRequest<Name>) => Promise<OperationResult<Name>>,
): Handler {
  const operation = operations[name];
  return requestHandler(name, operation, async (event) => {
    const { output, headers }: { output?: unknown; headers?: Record<string, string> } = await run({
      event: event as OperationRequest<Name>['event'],
      input: event.input as Input<Name>,
    });
    const hasBody = output !== undefined;
    return {
      statusCode: operation.successStatus,
      headers: { ...(hasBody && { 'Content-Type': 'application/json' }), ...headers },
      body: hasBody ? stringifyExactJson(output) : '',
    };
  });
}
