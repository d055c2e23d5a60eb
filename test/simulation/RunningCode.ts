import type { dynamoDbClient } from '../../lib/dynamodb/client.ts';
import type { Input, Reply } from './DynamoDbModel.ts';
import { listenForTimers } from './loadPackages.ts';
import type { Service } from './loadService.ts';
import type { Received, Request } from './Scope.ts';
import { requestEvent } from './simulatedRequests.ts';
import { readCall, toHttp } from './wire.ts';

/** An input of the code of an instance. */
export type Told =
  | { nowMs: number; attempt: string; request: Request }
  | { nowMs: number; call: number; outcome: Reply | Error }
  | { nowMs: number; outOfTime: string };

export type Response = Pick<Received, 'status' | 'body' | 'link'>;

/** A step of the code before it waits again. */
export type Done =
  | { call: number; action: string; input: Input }
  | { attempt: string; response: Response; kept: { ids: unknown[]; keys: unknown[] } }
  | { deadlineOf: string };

/** Responds to a call at once, unless the call is a choice. */
type RespondAtOnce = (action: string, input: Input) => Reply | undefined;

type HttpHandler = Pick<typeof dynamoDbClient.config.requestHandler, 'handle'>;

/** The code of one instance, which runs. */
export class RunningCode {
  readonly #service: Service;
  readonly #respondAtOnce: RespondAtOnce;
  readonly #outcomes: ((outcome: Reply | Error) => void)[] = [];
  readonly #deadlines = new Map<string, () => void>();
  #done: Done[] = [];

  constructor(service: Service, respondAtOnce: RespondAtOnce) {
    this.#service = service;
    this.#respondAtOnce = respondAtOnce;
    const handler: HttpHandler = service.dynamoDbClient.config.requestHandler;
    handler.handle = (request) => this.#call(request) as never;
  }

  /** Tells the code something, and returns what it does until it waits again. */
  async tell(told: Told): Promise<Done[]> {
    this.#done = [];
    if ('request' in told) this.#receive(told.attempt, told.request);
    else if ('outcome' in told) this.#outcomes[told.call]?.(told.outcome);
    else this.#deadlines.get(told.outOfTime)?.();
    // Promises and next ticks come before it.
    await new Promise(setImmediate);
    return this.#done;
  }

  #receive(attempt: string, request: Request): void {
    const getRemainingTimeInMillis = () => {
      timerListener = (callback) => {
        this.#deadlines.set(attempt, callback);
        this.#done.push({ deadlineOf: attempt });
      };
      return 10_000;
    };
    const end = (response: Response) => {
      this.#done.push({ attempt, response, kept: this.#service.moduleState() });
    };
    const event = requestEvent(request, attempt);
    this.#service[request.operation](event, { getRemainingTimeInMillis }).then(
      ({ statusCode, headers, body }) => end({ status: statusCode, body, link: headers.Link }),
      (error) => end({ status: 502, body: String(error), link: undefined }),
    );
  }

  #call(request: Parameters<HttpHandler['handle']>[0]): Promise<{ response: object }> {
    const { action, input } = readCall(request);
    const { promise, resolve, reject } = Promise.withResolvers<{ response: object }>();
    const settle = (outcome: Reply | Error) => {
      if (outcome instanceof Error) reject(outcome);
      else resolve({ response: toHttp(outcome) });
    };
    const reply = this.#respondAtOnce(action, input);
    if (reply) settle(reply);
    else this.#done.push({ call: this.#outcomes.push(settle) - 1, action, input });
    return promise;
  }
}

/** Of the request whose remaining time was read last: the next long timer ends it. */
let timerListener: (callback: () => void) => void = () => {};

listenForTimers((callback, ms) => {
  // A short timer is a wait before a retry.
  if (ms < 5_000) queueMicrotask(callback);
  else timerListener(callback);
});
