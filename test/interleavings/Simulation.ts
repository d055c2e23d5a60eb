import type { Scheduler } from 'fast-check';
import { apiKeyDigest, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import type { OperationName } from '../../lib/operations.ts';
import { allTables, tables } from '../../lib/tables.ts';
import { gatewayEvent } from '../helpers/gatewayEvent.ts';
import { DynamoDbModel, type Input, type Item, type Reply } from './DynamoDbModel.ts';
import { type FaultKind, faults } from './faults.ts';
import { type Service, type StartInstance, stage } from './startInstance.ts';

export type Request = {
  operation: OperationName;
  apiKey?: keyof typeof apiKeys;
  idempotencyKey?: string | undefined;
  pathParameters?: Record<string, string>;
  query?: Record<string, string>;
  /** The JSON text of the body. That of a creation has all fields, and no other creation has it. */
  body?: string;
};

export type Exchange = {
  request: Request;
  /** 502 if the instance died. */
  status: number;
  body: string;
  isReplayed?: boolean;
  sentAtMs: number;
  receivedAtMs: number;
};

/** A number of calls in a row that fail in the same way. */
export type Fault = { atCall: number; calls: number; kind: FaultKind };

export const apiKeys = { first: createApiKey(stage), second: createApiKey(stage) };

export const dayMs = 24 * 60 * 60_000;

/** How far the clock of an instance is ahead of the others. */
const clockOffsetsMs: Record<string, number> = { B: 4 * 60_000 };

type Response = {
  statusCode: number;
  headers: { 'Idempotent-Replayed'?: string };
  body: string;
};

type Instance = {
  service: Service;
  isDead: boolean;
  /** The response of all requests that the instance has when it dies. */
  death: PromiseWithResolvers<Response>;
  /** What ends the requests whose function runs out of time. */
  deadlines: (() => void)[];
};

/** The tables, the instances and the exchanges of one run. The scheduler orders all that happens. */
export class Simulation {
  readonly database = new DynamoDbModel(tables);
  readonly exchanges: Exchange[] = [];
  readonly trace: string[] = [];
  readonly injected: FaultKind[] = [];
  nowMs = 1_800_000_000_000;
  /** Ends all faults, and lets each call take effect at once. */
  isFaultFree = false;
  readonly #scheduler: Scheduler;
  readonly #startInstance: StartInstance;
  readonly #faults: Fault[];
  readonly #instances = new Map<string, Instance>();
  #calls = 0;

  constructor(scheduler: Scheduler, startInstance: StartInstance, faultsOfRun: Fault[]) {
    this.#scheduler = scheduler;
    this.#startInstance = startInstance;
    this.#faults = faultsOfRun;
    for (const [name, apiKey] of Object.entries(apiKeys)) {
      const digest = { S: apiKeyDigest(apiKey) };
      const createdAtEpochSeconds = { N: '1700000000' };
      this.database.put('apiKeys', { digest, name: { S: name }, createdAtEpochSeconds });
    }
  }

  /** The stored items that clients created. Counters and records have no id. */
  items(): Item[] {
    return allTables.flatMap((name) => this.database.items(name)).filter(({ id }) => id);
  }

  /** Every version that these items ever had. */
  versions(): Item[] {
    const earlier = this.database.calls.flatMap(({ stored }) => (stored?.id ? [stored] : []));
    return [...new Set([...earlier, ...this.items()])];
  }

  /** Lets something happen when the scheduler wants. */
  async happens(label: string, effect: () => void = () => {}): Promise<void> {
    if (!this.isFaultFree) await this.#scheduler.schedule(Promise.resolve(), label);
    this.trace.push(label);
    effect();
  }

  /** Lets time pass when the scheduler wants. */
  passes(seconds: number, effect: () => void = () => {}): Promise<void> {
    return this.happens(`${seconds} s pass`, () => {
      this.nowMs += seconds * 1000;
      effect();
    });
  }

  /** Sends a request to an instance, which starts if it does not run. */
  async send(request: Request, on: string): Promise<Exchange> {
    const { operation, pathParameters, query, idempotencyKey } = request;
    const what = [
      operation,
      request.body ?? JSON.stringify(pathParameters ?? query),
      idempotencyKey,
    ];
    await this.happens(`${what.join(' ').trim()} is sent to ${on}`);
    const { service, death } = this.#instances.get(on) ?? this.#start(on);
    const sentAtMs = this.nowMs;
    // The number is only a sign that there is a deadline.
    const context = { getRemainingTimeInMillis: () => 10_000 };
    const response = service[operation](eventOf(request), context);
    const { statusCode: status, headers, body } = await Promise.race([response, death.promise]);
    const times = { sentAtMs, receivedAtMs: this.nowMs };
    const isReplayed = headers['Idempotent-Replayed'] === 'true';
    const exchange = { request, status, body, isReplayed, ...times };
    this.exchanges.push(exchange);
    this.trace.push(`${on} responds ${status} ${body}${isReplayed ? ', replayed' : ''}`);
    return exchange;
  }

  #start(name: string): Instance {
    const deadlines: Instance['deadlines'] = [];
    const service = this.#startInstance({
      nowMs: () => this.nowMs + (clockOffsetsMs[name] ?? 0),
      call: (action, input) => this.#call(name, instance, action, input),
      onDeadline: (end) => deadlines.push(end),
    });
    const instance = {
      service,
      deadlines,
      isDead: false,
      death: Promise.withResolvers<Response>(),
    };
    this.#instances.set(name, instance);
    return instance;
  }

  async #call(name: string, instance: Instance, action: string, input: Input): Promise<Reply> {
    const apply = () => {
      try {
        return this.database.execute(action, input);
      } catch (error) {
        // The SDK would retry, and the service respond 503.
        instance.death.reject(error);
        throw error;
      }
    };
    const never = new Promise<never>(() => {});
    if (instance.isDead) return never;
    if (this.isFaultFree || input.TableName === 'apiKeys') return apply();

    const label = `${name}: ${action} ${input.TableName} ${keyIn(input)}`;
    await this.#scheduler.schedule(Promise.resolve(), label);
    const atCall = this.#calls++;
    const fault = this.#faults.find(
      (one) => one.atCall <= atCall && atCall < one.atCall + one.calls,
    );
    if (!fault || instance.isDead) {
      this.trace.push(label);
      return apply();
    }
    this.trace.push(`${label}, but ${fault.kind}`);
    this.injected.push(fault.kind);
    return faults[fault.kind]({
      apply,
      later: () => this.happens(`late: ${label}`),
      runOutOfTime: () => {
        for (const end of instance.deadlines.splice(0)) end();
      },
      die: () => {
        instance.isDead = true;
        this.#instances.delete(name);
        instance.death.resolve({ statusCode: 502, headers: {}, body: 'no response' });
        return never;
      },
    });
  }
}

/** Requests to a collection with one API key and Idempotency-Key are one creation, and so is each without a key. */
export function creationOf({ request }: Exchange): string {
  const { operation, pathParameters = {}, apiKey = 'first', idempotencyKey, body } = request;
  const creation = idempotencyKey === undefined ? body : `${apiKey}#${idempotencyKey}`;
  return [operation, ...Object.values(pathParameters), creation].join(' ');
}

/** The event of API Gateway for a request. */
function eventOf({ operation, apiKey = 'first', idempotencyKey, ...sent }: Request) {
  return gatewayEvent(operation, {
    headers: {
      Authorization: `Bearer ${apiKeys[apiKey]}`,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    ...sent,
  });
}

/** What a call is about, for the trace. */
function keyIn({ Key, Item }: Input): string {
  const values = Key ?? Item;
  return (values?.pk ?? values?.scopedKey)?.S ?? '';
}
