import type { APIGatewayProxyEvent, Context as LambdaContext } from 'aws-lambda';
import type { Context } from 'hono';
import { handle } from 'hono/aws-lambda';
import { Hono } from 'hono/tiny';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { timeouts } from '../../../lib/config.ts';
import { ApiError } from '../../../lib/errors.ts';
import type { ApiEvent, ApiMiddleware, ApiRequest } from '../../../lib/http/event.ts';
import type { Handler, operationHandler as serviceHandler } from '../../../lib/http/handler.ts';
import {
  addCommonHeaders,
  addDeprecationHeaders,
} from '../../../lib/http/middlewares/addHeaders.ts';
import { authenticate } from '../../../lib/http/middlewares/authenticate.ts';
import { logRequest } from '../../../lib/http/middlewares/logRequest.ts';
import { validateInput } from '../../../lib/http/middlewares/validateInput.ts';
import { parseExactJson, stringifyExactJson } from '../../../lib/int64.ts';
import { requestLog } from '../../../lib/logging.ts';
import { basePath, type Operation, operations } from '../../../lib/operations.ts';
import { limits } from '../../../lib/schemas.ts';

// Replaces lib/http/handler.ts in the bundle: hono takes the place of middy. The rest of the bundle is the
// service: functions, store, schemas, logs, settings of the SDK and warm-up. This peer skips four checks of a
// body: its depth, its encoding, a byte order mark, and dangerous member names.

type App = {
  Bindings: { event: APIGatewayProxyEvent; lambdaContext: LambdaContext };
  Variables: { event: ApiEvent };
};

// Loads undici in the init phase, which has a whole processor.
new Request('https://localhost');

export const operationHandler: typeof serviceHandler = (name, run) => {
  const { method, path, input, successStatus, deprecation }: Operation = operations[name];
  const headerHooks = [
    addCommonHeaders(),
    ...(deprecation ? [addDeprecationHeaders(deprecation)] : []),
  ];
  const logHook = logRequest(name);
  const authenticationHook = authenticate(method);
  const validationHook = validateInput(input);
  const app = new Hono<App>();

  app.use(async (c, next) => {
    const event = toApiEvent(c);
    c.set('event', event);
    const headers = {};
    for (const { after } of headerHooks) after?.({ event, response: { headers } } as ApiRequest);
    // A header that is set later would copy the response.
    for (const [name, value] of Object.entries<string>(headers)) c.header(name, value);
    await next();
    logHook.after?.({ event, response: { statusCode: c.res.status } } as ApiRequest);
  });
  app.use(async (c, next) => {
    await runBefore(authenticationHook, c.get('event'));
    await next();
  });
  app.on(method, `${basePath}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, async (c) => {
    const event = c.get('event');
    event.pathParameters = c.req.param();
    if (input.body) event.body = await parseBody(c);
    await runBefore(validationHook, event);
    const { output, headers } = await run({ event, input: event.input } as Parameters<
      typeof run
    >[0]);
    return c.body(stringifyExactJson(output), successStatus as ContentfulStatusCode, {
      'Content-Type': 'application/json',
      ...headers,
    });
  });
  app.onError((error, c) => {
    const apiError =
      error instanceof ApiError
        ? error
        : new ApiError('internal_error', 'Something went wrong.', { cause: error });
    c.get('event').apiError = apiError;
    return c.json(apiError, apiError.status, apiError.headers);
  });
  return handle(app) as unknown as Handler;
};

async function runBefore({ before }: ApiMiddleware, event: ApiEvent): Promise<void> {
  await before?.({ event } as ApiRequest);
}

function toApiEvent({ req, env }: Context<App>): ApiEvent {
  const { requestContext } = env.event;
  const remainingMs = env.lambdaContext.getRemainingTimeInMillis() - timeouts.earlyResponseMs;
  const query = Object.entries(req.queries()).map(([name, values]) => {
    const [first = '', ...others] = values;
    return [name, others.length > 0 ? values : first] as const;
  });
  return {
    requestId: requestContext.requestId,
    method: req.method,
    path: req.path,
    publicPath: requestContext.path,
    domainName: requestContext.domainName,
    headers: req.header(),
    pathParameters: {},
    query: Object.fromEntries(query),
    body: null,
    isBase64Encoded: false,
    startedAtMs: Date.now(),
    log: requestLog(env.lambdaContext),
    logFields: {},
    abortSignal: AbortSignal.timeout(Math.max(0, remainingMs)),
  };
}

const jsonMediaType = /^application\/([\w.+-]+\+)?json[ \t]*(;|$)/i;

async function parseBody({ req }: Context<App>): Promise<unknown> {
  if (!jsonMediaType.test(req.header('content-type') ?? 'application/json')) {
    throw new ApiError('unsupported_media_type', 'The Content-Type must be application/json.');
  }
  const text = await req.text();
  if (Buffer.byteLength(text) > limits.body.maxBytes) {
    throw new ApiError(
      'payload_too_large',
      `The body must not exceed ${limits.body.maxBytes} bytes.`,
    );
  }
  if (text === '') return null;
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw new ApiError('bad_request', 'The body is not valid JSON.', { cause });
  }
}
