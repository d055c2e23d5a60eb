import type { Scheduler } from 'fast-check';
import { apiKeyDigest, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import { textOfItem } from '../helpers/samplePets.ts';
import { DynamoDbModel, type Input, type Item, type Reply } from './DynamoDbModel.ts';
import { type FaultKind, faults, never } from './faults.ts';
import { type InstanceSettings, type Service, type StartInstance, stage } from './startInstance.ts';

export type Request = {
  operation: keyof Service;
  apiKey?: '1' | '2' | 'unknown';
  idempotencyKey?: string | undefined;
  /** The name of the pet to create. */
  pet?: string;
  petId?: string;
  query?: Record<string, string>;
};

export type Exchange = {
  request: Request;
  /** 502 if the instance died, and 504 if the client gave up. */
  status: number;
  body: string;
  link?: string | undefined;
  sentAtMs: number;
  receivedAtMs: number;
  /** The undamaged pets of the index when the request was sent. */
  visiblePets: string[];
};

/** A number of calls in a row that fail in the same way. */
export type Fault = { atCall: number; calls: number; kind: FaultKind };

export const apiKeys: Record<NonNullable<Request['apiKey']>, string> = {
  1: createApiKey(stage),
  2: createApiKey(stage),
  unknown: createApiKey(stage),
};

/** The tables, the instances and the exchanges of one run. The scheduler orders all that happens. */
export class World {
  readonly database = new DynamoDbModel({
    pets: petsTable,
    keys: apiKeysTable,
    idempotency: idempotencyTable,
  });
  readonly exchanges: Exchange[] = [];
  /** The pages of each walk that has ended. */
  readonly walks: Exchange[][] = [];
  /** Pets that were there before the first request. */
  readonly initialPets: Item[] = [];
  readonly trace: string[] = [];
  /** The settings of instances by name. */
  readonly settings: Record<string, InstanceSettings> = {};
  nowMs = 1_800_000_000_000;
  /** Whether the reads of API keys wait for the scheduler too. */
  areKeyReadsOrdered = false;
  /** Ends all faults, and lets each call take effect at once. */
  isFaultFree = false;
  /** Calls that failed without the end of their instance. */
  failedCalls = 0;
  #calls = 0;
  readonly #scheduler: Scheduler;
  readonly #startInstance: StartInstance;
  readonly #faults: Fault[];
  readonly #instances = new Map<string, Instance>();

  constructor(scheduler: Scheduler, startInstance: StartInstance, faultsOfRun: Fault[]) {
    this.#scheduler = scheduler;
    this.#startInstance = startInstance;
    this.#faults = faultsOfRun;
    for (const name of ['1', '2'] as const) this.putApiKey(name);
  }

  get nowSeconds(): number {
    return Math.floor(this.nowMs / 1000);
  }

  putApiKey(name: keyof typeof apiKeys, more: Item = {}): void {
    const digest = { S: apiKeyDigest(apiKeys[name]) };
    const createdAtEpochSeconds = { N: '1700000000' };
    this.database.put('keys', { digest, name: { S: name }, createdAtEpochSeconds, ...more });
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

  /** Replaces an instance. The requests that it has go on. */
  deploy(name: string, settings: InstanceSettings): void {
    this.settings[name] = settings;
    this.#instances.delete(name);
  }

  passes(label: string, ms: number): Promise<void> {
    return this.happens(`${label} pass`, () => {
      this.nowMs += ms;
    });
  }

  async send(request: Request, on: string): Promise<Exchange> {
    const { pet, petId, query, idempotencyKey = '' } = request;
    const what = [request.operation, pet ?? petId ?? JSON.stringify(query), idempotencyKey];
    await this.happens(`${what.join(' ').trim()} is sent to ${on}`);
    const instance = this.#instances.get(on) ?? this.#start(on);
    const indexed = this.database.indexedItems('pets');
    const visiblePets = indexed.filter(({ id, name }) => id && name).map(textOfItem);
    const sentAtMs = this.nowMs;
    const response = instance.service[request.operation](eventOf(request));
    const { statusCode, headers, body } = await Promise.race([response, instance.hungUp.promise]);
    const exchange = {
      request,
      status: statusCode,
      body,
      link: headers.Link,
      sentAtMs,
      receivedAtMs: this.nowMs,
      visiblePets,
    };
    this.exchanges.push(exchange);
    this.trace.push(`${on} responds ${statusCode} ${body}`);
    return exchange;
  }

  #start(name: string): Instance {
    const hungUp = Promise.withResolvers<HungUp>();
    const service = this.#startInstance({
      ...this.settings[name],
      nowMs: () => this.nowMs,
      call: (action, input) => this.#call(name, instance, action, input),
    });
    const instance: Instance = { service, hungUp, isDead: false };
    this.#instances.set(name, instance);
    return instance;
  }

  async #call(name: string, instance: Instance, action: string, input: Input): Promise<Reply> {
    const apply = () => this.database.execute(action, input);
    if (instance.isDead) return never();
    const isOrdered = input.TableName !== 'keys' || this.areKeyReadsOrdered;
    if (this.isFaultFree || !isOrdered) return apply();

    const label = `${name}: ${action} ${input.TableName} ${keyIn(input)}`;
    await this.#scheduler.schedule(Promise.resolve(), label);
    const atCall = this.#calls++;
    const hangUp = (statusCode: number) => {
      instance.hungUp.resolve({ statusCode, headers: {}, body: 'no response' });
      instance.hungUp = Promise.withResolvers();
    };
    const fault = this.#faults.find(
      (one) => one.atCall <= atCall && atCall < one.atCall + one.calls,
    );
    const kind = instance.isDead ? undefined : fault?.kind;
    this.trace.push(kind ? `${label}, but ${kind}` : label);
    if (!kind) return apply();
    return faults[kind]({
      apply,
      later: () => this.happens(`late: ${label}`),
      fail: () => {
        this.failedCalls += 1;
      },
      giveUp: () => hangUp(504),
      die: () => {
        instance.isDead = true;
        this.#instances.delete(name);
        hangUp(502);
      },
    });
  }
}

type HungUp = { statusCode: number; headers: Record<string, string>; body: string };

type Instance = {
  service: Service;
  /** Ends the requests that wait for a response. */
  hungUp: PromiseWithResolvers<HungUp>;
  isDead: boolean;
};

/** The event of API Gateway for a request. */
function eventOf({ operation, apiKey = '1', idempotencyKey, pet, petId, query }: Request) {
  return {
    httpMethod: operation === 'createPet' ? 'POST' : 'GET',
    path: petId === undefined ? '/v1/pets' : `/v1/pets/${petId}`,
    headers: {
      Authorization: `Bearer ${apiKeys[apiKey]}`,
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    queryStringParameters: query ?? null,
    pathParameters: petId === undefined ? null : { petId },
    requestContext: { requestId: 'request', domainName: 'localhost', path: '/v1/pets' },
    body: pet === undefined ? null : JSON.stringify({ name: pet, categoryId: 7 }),
  };
}

function keyIn({ Key, Item, ExpressionAttributeValues }: Input): string {
  return Object.values(Key ?? Item ?? ExpressionAttributeValues ?? {})[0]?.S ?? '';
}
