import { hash } from 'node:crypto';
import type { dynamoDbClient } from '../../lib/dynamodb/client.ts';
import type { Input, Reply } from './DynamoDbModel.ts';
import { listenForTimers } from './loadPackages.ts';
import type { Service } from './loadService.ts';
import { requestEvent, stage } from './requests.ts';
import type { Client, InstanceSettings, Received, Request } from './Scope.ts';
import { readCall, toHttp } from './wire.ts';

/** A call of DynamoDB that waits for its effect, or whose response is on its way. */
export type Call = {
  place: number;
  action: string;
  input: Input;
  reply?: Reply;
  settle(outcome: Reply | Error): void;
};

/** A request without a response. */
export type Attempt = {
  client: Client;
  place: number;
  sentAtMs: number;
  /** Ends the request early, when its time runs out. */
  runOut?: () => void;
};

type Response = Pick<Received, 'status' | 'body' | 'link'>;

/** What an instance tells the world that it runs in. */
type Listener = {
  nowMs(): number;
  /** Whether the state between requests includes the API keys that the instance remembers. */
  keepsApiKeys: boolean;
  onCall(call: Call): void;
  onResponse(attempt: Attempt, response: Response): void;
};

type HttpHandler = Pick<typeof dynamoDbClient.config.requestHandler, 'handle'>;

/** One instance of the service, with its requests and its calls under way. */
export class Instance {
  readonly name: string;
  readonly calls: Call[] = [];
  readonly attempts: Attempt[] = [];
  readonly #service: Service;
  readonly #listener: Listener;
  /** Everything that the instance was told: its state is a function of it. */
  #history: string[] = [];
  #addsPets = false;
  #callCount = 0;

  constructor(name: string, service: Service, listener: Listener) {
    this.name = name;
    this.#service = service;
    this.#listener = listener;
    const handler: HttpHandler = service.dynamoDbClient.config.requestHandler;
    handler.handle = (request) => this.#call(request) as never;
  }

  /** Equal for two instances only if they go on in the same way. Undefined for a new instance. */
  get state(): unknown[] | undefined {
    if (this.#history.length + this.attempts.length === 0) return undefined;
    return [
      this.name,
      // A list may receive the pages of two shards in any order.
      ...(this.#addsPets ? this.#history : this.#history.toSorted()),
      this.calls.map(({ place, reply }) => [place, reply]),
      this.attempts.map(({ client, place, runOut }) => [client.name, place, !runOut]),
    ];
  }

  receive(attempt: Attempt, request: Request): void {
    const { client, place } = attempt;
    this.#addsPets ||= request.operation === 'createPet';
    this.attempts.push(attempt);
    this.#tell(`${client.name} ${place}`);
    const getRemainingTimeInMillis = () => {
      timerOwner = attempt;
      return 10_000;
    };
    const event = requestEvent(request, client.name);
    this.#service[request.operation](event, { getRemainingTimeInMillis }).then(
      ({ statusCode, headers, body }) =>
        this.#end(attempt, { status: statusCode, body, link: headers.Link }),
      (error) => this.#end(attempt, { status: 502, body: String(error), link: undefined }),
    );
  }

  /** Gives the code the outcome of a call. */
  deliver(call: Call, outcome: Reply | Error): void {
    this.calls.splice(this.calls.indexOf(call), 1);
    const text = outcome instanceof Error ? outcome.message : JSON.stringify(outcome);
    this.#tell(`${call.place} ${text}`);
    call.settle(outcome);
  }

  runOutOfTime(attempt: Attempt): void {
    const { runOut, client, place } = attempt;
    delete attempt.runOut;
    this.#tell(`${client.name} ${place} runs out of time`);
    runOut?.();
  }

  die(): void {
    for (const attempt of [...this.attempts]) {
      this.#end(attempt, { status: 502, body: 'the instance died', link: undefined });
    }
  }

  #call(request: Parameters<HttpHandler['handle']>[0]): Promise<{ response: object }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ response: object }>();
    this.#listener.onCall({
      ...readCall(request),
      place: this.#callCount++,
      settle: (outcome) => {
        if (outcome instanceof Error) reject(outcome);
        else resolve({ response: toHttp(outcome) });
      },
    });
    return promise;
  }

  #end(attempt: Attempt, response: Response): void {
    const open = this.attempts.indexOf(attempt);
    if (open === -1) return;
    this.attempts.splice(open, 1);
    // An idle instance is known by what it keeps, however it came to that.
    if (this.attempts.length + this.calls.length === 0) this.#history = this.#kept();
    this.#listener.onResponse(attempt, response);
  }

  #kept(): string[] {
    const { ids, keys } = this.#service.moduleState();
    const kept = this.#listener.keepsApiKeys ? [...ids, ...keys] : ids;
    return kept.map((value) => JSON.stringify(value));
  }

  /** The time is part of it, because the code may read the clock now. */
  #tell(text: string): void {
    this.#history.push(hash('md5', `${this.#listener.nowMs()} ${text}`, 'base64'));
  }
}

/** The environment of an instance, as the stack sets it. */
export function environmentOf(settings: InstanceSettings, logLevel: string) {
  return {
    AWS_LAMBDA_FUNCTION_NAME: 'petstore',
    AWS_REGION: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    LOG_LEVEL: logLevel,
    STAGE: stage,
    PETS_TABLE: 'pets',
    API_KEYS_TABLE: 'keys',
    IDEMPOTENCY_TABLE: 'idempotency',
    SHARDS: String(settings.shards ?? 1),
    WRITE_SHARDS: String(settings.writeShards ?? 1),
    IDS_PER_LEASE: String(settings.idsPerLease ?? 1),
  };
}

/** The request whose remaining time the code asked for last: the next long timer ends it. */
let timerOwner: Attempt | undefined;

listenForTimers((callback, ms) => {
  // A short timer is a wait before a retry.
  if (ms < 5_000) queueMicrotask(callback);
  else if (timerOwner) timerOwner.runOut = callback;
});
