import type { Scheduler } from 'fast-check';
import { apiKeyDigest, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import { basePath, operations } from '../../lib/operations.ts';
import { minimalPet } from '../helpers/samplePets.ts';
import { DynamoDbModel, type Input, type Item, type Reply } from './DynamoDbModel.ts';
import { type FaultKind, faults } from './faults.ts';
import { type Service, type StartInstance, stage } from './startInstance.ts';

export type Request = {
  operation: keyof Service;
  apiKey?: keyof typeof apiKeys;
  idempotencyKey?: string | undefined;
  /** The name of the pet to create. */
  pet?: string;
  petId?: string;
  query?: Record<string, string>;
};

export type Exchange = {
  request: Request;
  /** 502 if the instance died. */
  status: number;
  body: string;
  link?: string | undefined;
  sentAtMs: number;
  receivedAtMs: number;
};

/** A number of calls in a row that fail in the same way. */
export type Fault = { atCall: number; calls: number; kind: FaultKind };

export const apiKeys = { first: createApiKey(stage), second: createApiKey(stage) };

/** How far the clock of an instance is ahead of the others. */
const clockOffsetsMs: Record<string, number> = { B: 4 * 60_000 };

type Instance = {
  service: Service;
  isDead: boolean;
  /** The response of all requests that the instance has when it dies. */
  death: PromiseWithResolvers<{ statusCode: number; headers: { Link?: string }; body: string }>;
  /** What ends the requests whose function runs out of time. */
  deadlines: (() => void)[];
};

/** The tables, the instances and the exchanges of one run. The scheduler orders all that happens. */
export class World {
  readonly database = new DynamoDbModel({
    pets: petsTable,
    keys: apiKeysTable,
    idempotency: idempotencyTable,
  });
  readonly exchanges: Exchange[] = [];
  /** Pets that were there before the first request. */
  readonly initialPets: Item[] = [];
  /** The pets that the index had when a walk began, and the pages of the walk. */
  readonly walks: { visible: Item[]; pages: Exchange[] }[] = [];
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
      this.database.put('keys', { digest, name: { S: name }, createdAtEpochSeconds });
    }
  }

  get nowSeconds(): number {
    return Math.floor(this.nowMs / 1000);
  }

  pets(): Item[] {
    return this.database.items('pets').filter(({ id }) => id);
  }

  /** Lets something happen when the scheduler wants. */
  async happens(label: string, effect: () => void = () => {}): Promise<void> {
    if (!this.isFaultFree) await this.#scheduler.schedule(Promise.resolve(), label);
    this.trace.push(label);
    effect();
  }

  passes(label: string, ms: number): Promise<void> {
    return this.happens(`${label} pass`, () => {
      this.nowMs += ms;
    });
  }

  /** Sends a request to an instance, which starts if it does not run. */
  async send(request: Request, on: string): Promise<Exchange> {
    const { pet, petId, query, idempotencyKey = '' } = request;
    const what = [request.operation, pet ?? petId ?? JSON.stringify(query), idempotencyKey];
    await this.happens(`${what.join(' ').trim()} is sent to ${on}`);
    const { service, death } = this.#instances.get(on) ?? this.#start(on);
    const sentAtMs = this.nowMs;
    // The number is only a sign that there is a deadline.
    const response = service[request.operation](eventOf(request), {
      getRemainingTimeInMillis: () => 10_000,
    });
    const { statusCode, headers, body } = await Promise.race([response, death.promise]);
    const exchange = {
      request,
      status: statusCode,
      body,
      link: headers.Link,
      sentAtMs,
      receivedAtMs: this.nowMs,
    };
    this.exchanges.push(exchange);
    this.trace.push(`${on} responds ${statusCode} ${body}`);
    return exchange;
  }

  /** Follows the links of a list, and asks for a page again after a 5xx. */
  async walk(query: Record<string, string>): Promise<void> {
    const visible = this.database.indexedItems('pets').filter(({ id }) => id);
    const pages: Exchange[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const request = { ...query, ...(cursor && { cursor }) };
      const page: Exchange = await this.send({ operation: 'listPets', query: request }, 'L');
      if (page.status >= 500) continue;
      pages.push(page);
      cursor = /cursor=([^&>]+)/.exec(page.link ?? '')?.[1];
    }
    this.walks.push({ visible, pages });
  }

  #start(name: string): Instance {
    const deadlines: Instance['deadlines'] = [];
    const service = this.#startInstance({
      nowMs: () => this.nowMs + (clockOffsetsMs[name] ?? 0),
      call: (action, input) => this.#call(name, instance, action, input),
      onDeadline: (end) => deadlines.push(end),
    });
    const instance: Instance = {
      service,
      isDead: false,
      death: Promise.withResolvers(),
      deadlines,
    };
    this.#instances.set(name, instance);
    return instance;
  }

  async #call(name: string, instance: Instance, action: string, input: Input): Promise<Reply> {
    const apply = () => this.database.execute(action, input);
    const never = new Promise<never>(() => {});
    if (instance.isDead) return never;
    if (this.isFaultFree || input.TableName === 'keys') return apply();

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

/** The event of API Gateway for a request. */
function eventOf({ operation, apiKey = 'first', idempotencyKey, pet, petId, query }: Request) {
  return {
    httpMethod: operations[operation].method,
    path: `${basePath}${operations[operation].path.replace('{petId}', petId ?? '')}`,
    headers: {
      Authorization: `Bearer ${apiKeys[apiKey]}`,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    queryStringParameters: query ?? null,
    pathParameters: petId === undefined ? null : { petId },
    requestContext: { requestId: 'request', domainName: 'localhost', path: '/v1/pets' },
    body: pet === undefined ? null : JSON.stringify({ ...minimalPet, name: pet }),
  };
}

function keyIn({ Key, Item, ExpressionAttributeValues }: Input): string {
  return Object.values(Key ?? Item ?? ExpressionAttributeValues ?? {})[0]?.S ?? '';
}
