import { hash } from 'node:crypto';
import type { dynamoDbClient } from '../../lib/dynamodb/client.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import { DynamoDbModel, type Input, type Item, type Reply, refusal } from './DynamoDbModel.ts';
import { listenForTimers, type Service, type StartService } from './loadService.ts';
import { apiKeyOf, apiKeyRecord, requestEvent } from './requests.ts';
import type { Client, FaultKind, Received, Scope } from './Scope.ts';
import { toHttp } from './toHttp.ts';

/** Something that may happen next. */
export type Choice = { label: string; run(): void };

type Instance = {
  name: string;
  service: Service;
  /** Everything that the instance was told: its state is a function of it. */
  history: string[];
  /** Whether requests of the instance share leased ids. */
  addsPets: boolean;
  calls: Call[];
  callCount: number;
  attempts: Attempt[];
};

/** A call of DynamoDB that waits for its effect, or whose response is on its way. */
type Call = {
  place: number;
  action: string;
  input: Input;
  reply?: Reply;
  settle(outcome: Reply | Error): void;
};

type Attempt = {
  client: Client;
  place: number;
  sentAtMs: number;
  end(response: Omit<Received, 'sentAtMs' | 'receivedAtMs'>): void;
  /** Ends the request early, when its time runs out. */
  runOut?: () => void;
};

type HttpHandler = Pick<typeof dynamoDbClient.config.requestHandler, 'handle'>;

/** A run of the largest scope takes less than a fifth of them. */
const maxSteps = 1_000;

const startMs = 1_800_000_000_000;

/** One run of a scope: the tables, the instances, the clients, and the choice of what comes next. */
export class World {
  readonly scope: Scope;
  readonly database: DynamoDbModel;
  readonly received = new Map<string, Received[]>();
  /** The ids that a list could return when a walk began. */
  readonly visibleAtStart = new Map<string, string[]>();
  readonly initialPets: Item[];
  readonly trace: string[] = [];
  nowMs = startMs;
  faultsUsed = 0;
  readonly #startService: StartService;
  readonly #logLevel: string;
  readonly #started: Service[] = [];
  readonly #instances = new Map<string, Instance>();
  readonly #generations = new Map<string, number>();
  readonly #sent = new Map<string, number>();
  readonly #eventsDone = new Set<string>();
  /** Writes without a recipient that still reach the tables. */
  readonly #orphans: Call[] = [];
  #isCalm = false;
  /** The service has none. A mutant may. */
  #hasWeakReads = false;
  #timerOwner: Attempt | undefined;

  constructor(scope: Scope, startService: StartService, { logLevel = 'SILENT' } = {}) {
    this.scope = scope;
    this.#startService = startService;
    this.#logLevel = logLevel;
    const tables = { pets: petsTable, keys: apiKeysTable, idempotency: idempotencyTable };
    this.database = new DynamoDbModel(tables, { hasIndexLag: scope.hasIndexLag ?? false });
    for (const name of ['1', '2']) this.set('keys', apiKeyRecord(name));
    scope.setUp?.(this);
    for (const key of this.database.lagging) this.database.catchUp('pets', key);
    this.initialPets = this.pets().filter(({ name }) => name);
    listenForTimers((callback, ms) => this.#startTimer(callback, ms));
  }

  /** Seconds since 1970, as the time to live sees them. */
  get nowSeconds(): number {
    return Math.floor(this.nowMs / 1000);
  }

  /** Writes an item behind the back of the service. */
  set(tableName: 'pets' | 'keys' | 'idempotency', item: Item): void {
    const { name } = this.database.table(tableName).definition.partitionKey;
    this.database.set(tableName, item[name]?.S ?? '', item);
  }

  pet(id: string | bigint): Item | undefined {
    return this.database.table('pets').items.get(`PET#${id}`);
  }

  pets(): Item[] {
    return [...this.database.table('pets').items.values()].filter(({ id }) => id);
  }

  hasHappened(label: string): boolean {
    return this.#eventsDone.has(label);
  }

  /** Sends what is sent at once, and lets the code run until it waits for a call. */
  async begin(): Promise<void> {
    await this.#settle();
  }

  /** Takes one of the choices, and then each step that has no alternative. */
  async take(index: number): Promise<void> {
    const chosen = this.choices()[index];
    if (!chosen) throw new Error(`There is no choice ${index} here: ${this.labels().join('; ')}`);
    for (let choice = chosen; ; ) {
      this.trace.push(choice.label);
      if (this.trace.length > maxSteps)
        throw new Error(`It has not ended after ${maxSteps} steps.`);
      if (this.#logLevel !== 'SILENT') process.stdout.write(`- ${choice.label}\n`);
      choice.run();
      await this.#settle();
      const next = this.choices();
      if (next.length !== 1 || !next[0]) return;
      choice = next[0];
    }
  }

  labels(): string[] {
    return this.choices().map(({ label }) => label);
  }

  /** Everything that may happen next, in the same order for the same state. */
  choices(): Choice[] {
    return [
      ...[...this.#instances.values()].flatMap((instance) =>
        instance.calls.flatMap((call) => this.#outcomes(instance, call)),
      ),
      ...this.#orphans.map((call) => ({
        label: `the late write takes effect: ${describe(call)}`,
        run: () => {
          this.#orphans.splice(this.#orphans.indexOf(call), 1);
          this.#execute(call);
        },
      })),
      ...this.scope.clients
        .filter((client) => client.when && this.#sentCount(client) === 0 && client.when(this))
        .map((client) => ({
          label: `${client.name} is sent`,
          run: () => this.#sendNext(client),
        })),
      ...[...this.#instances.values()].flatMap((instance) =>
        instance.attempts.flatMap((attempt) => this.#deadline(instance, attempt)),
      ),
      ...this.#events(),
    ];
  }

  /** A digest that is equal for two runs only if they continue in the same ways. */
  state(): string {
    const tables = ['pets', 'keys', 'idempotency'].map((name) => {
      const { items, previous, indexed } = this.database.table(name);
      return [
        sorted(items),
        this.#hasWeakReads ? sorted(previous) : [],
        this.scope.hasIndexLag ? sorted(indexed) : [],
      ];
    });
    const instances = [...this.#instances.values()].filter(hasState).map((instance) => [
      instance.name,
      // What a list gets of two shards may arrive in any order.
      ...(instance.addsPets ? instance.history : instance.history.toSorted()),
      instance.calls.map(({ place, reply }) => [place, reply]),
      instance.attempts.map(({ client, place, runOut }) => [client.name, place, !runOut]),
    ]);
    const orphans = this.#orphans.map(({ action, input }) => [action, input]);
    return hash(
      'md5',
      JSON.stringify([
        tables,
        instances.sort(),
        orphans.map((orphan) => JSON.stringify(orphan)).sort(),
        sorted(this.received),
        sorted(this.#sent),
        sorted(this.visibleAtStart),
        [...this.#eventsDone].sort(),
        [...this.database.lagging].sort(),
        this.nowMs,
        this.faultsUsed,
      ]),
      'base64',
    );
  }

  /** Ends the run. */
  close(): void {
    this.#startService.giveBack(this.#started);
  }

  /** Sends a request when all faults are over, on an instance that has seen none of them. */
  async sendCalmly(client: Client): Promise<Received | undefined> {
    this.#isCalm = true;
    this.#send(client, 'calm');
    await this.#settle();
    return this.received.get(client.name)?.at(-1);
  }

  async #settle(): Promise<void> {
    do {
      for (const client of this.scope.clients) {
        if (client.when && this.#sentCount(client) === 0) continue;
        if (!this.#isCalm) this.#sendNext(client);
      }
      // Promises and next ticks come before it.
      await new Promise(setImmediate);
    } while (this.scope.clients.some((client) => !this.#isCalm && this.#isReady(client)));
  }

  /** A new instance keeps nothing. */
  #kept({ service }: Instance): string[] {
    const { ids, keys } = service.moduleState();
    const kept = this.scope.areKeyReadsChoices ? [...ids, ...keys] : ids;
    return kept.map((value) => JSON.stringify(value));
  }

  #sentCount({ name }: Client): number {
    return this.#sent.get(name) ?? 0;
  }

  /** Whether a client has got all responses so far and has another request. */
  #isReady(client: Client): boolean {
    const received = this.received.get(client.name) ?? [];
    const isStarted = !client.when || this.#sentCount(client) > 0;
    const isWaiting = received.length < this.#sentCount(client);
    return isStarted && !isWaiting && client.next(received) !== undefined;
  }

  #sendNext(client: Client): void {
    const received = this.received.get(client.name) ?? [];
    if (received.length < this.#sentCount(client) || !client.next(received)) return;
    const place = Math.min(this.#sentCount(client), client.on.length - 1);
    this.#send(client, client.on[place] ?? 'A');
  }

  #send(client: Client, instanceName: string): void {
    const received = this.received.get(client.name) ?? [];
    const request = client.next(received) ?? client.next([]);
    if (!request) throw new Error(`${client.name} has nothing to send.`);
    const instance = this.#instances.get(instanceName) ?? this.#start(instanceName);
    if (received.length === 0) {
      const { indexed } = this.database.table('pets');
      const ids = [...indexed.values()].flatMap(({ id }) => id?.N ?? []);
      this.visibleAtStart.set(client.name, ids);
    }
    const sentAtMs = this.nowMs;
    const attempt: Attempt = {
      client,
      place: this.#sentCount(client),
      sentAtMs,
      end: (response) => {
        const open = instance.attempts.indexOf(attempt);
        if (open === -1) return;
        instance.attempts.splice(open, 1);
        // An idle instance is known by what it keeps, however it came to that.
        if (isIdle(instance)) instance.history = this.#kept(instance);
        const entry = { ...response, sentAtMs, receivedAtMs: this.nowMs };
        this.received.set(client.name, [...(this.received.get(client.name) ?? []), entry]);
        this.trace.push(`${client.name} gets ${response.status} ${response.body}`);
      },
    };
    instance.addsPets ||= request.operation === 'createPet';
    instance.attempts.push(attempt);
    this.#sent.set(client.name, attempt.place + 1);
    this.#tell(instance, `${client.name} ${attempt.place}`);
    const getRemainingTimeInMillis = () => {
      this.#timerOwner = attempt;
      return 10_000;
    };
    instance.service[request.operation](requestEvent(request, client.name), {
      getRemainingTimeInMillis,
    }).then(
      ({ statusCode, headers, body }) =>
        attempt.end({ status: statusCode, body, link: headers.Link }),
      (error) => attempt.end({ status: 502, body: String(error), link: undefined }),
    );
  }

  #start(name: string): Instance {
    const settings = this.scope.instances?.[name] ?? {};
    const generation = (this.#generations.get(name) ?? 0) + 1;
    this.#generations.set(name, generation);
    let uuids = 0;
    const service = this.#startService({
      environment: {
        ...environment,
        LOG_LEVEL: this.#logLevel,
        SHARDS: String(settings.shards ?? 1),
        WRITE_SHARDS: String(settings.writeShards ?? 1),
        IDS_PER_LEASE: String(settings.idsPerLease ?? 1),
      },
      nowMs: () => this.nowMs + (settings.clockOffsetMs ?? 0),
      randomUUID: () => `${name}${generation}-${++uuids}`,
    });
    this.#started.push(service);
    const instance: Instance = {
      name,
      service,
      history: [],
      addsPets: false,
      calls: [],
      callCount: 0,
      attempts: [],
    };
    this.#instances.set(name, instance);
    const handler: HttpHandler = service.dynamoDbClient.config.requestHandler;
    handler.handle = (request) => this.#receiveCall(instance, request) as never;
    return instance;
  }

  #receiveCall(instance: Instance, request: Parameters<HttpHandler['handle']>[0]) {
    const action = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const input: Input = JSON.parse(new TextDecoder().decode(request.body));
    const { promise, resolve, reject } = Promise.withResolvers<{ response: object }>();
    const call: Call = {
      place: instance.callCount,
      action,
      input,
      settle: (outcome) => {
        if (outcome instanceof Error) reject(outcome);
        else resolve({ response: toHttp(outcome) });
      },
    };
    instance.callCount += 1;
    const isOfNoInterest = input.TableName === 'keys' && !this.scope.areKeyReadsChoices;
    if (this.#isCalm || isOfNoInterest) call.settle(this.#execute(call));
    else instance.calls.push(call);
    return promise;
  }

  #execute({ action, input }: Call, freedom = {}): Reply {
    return this.database.execute(action, input, freedom);
  }

  /** Every way in which a call can go on. The first one is the usual one. */
  #outcomes(instance: Instance, call: Call): Choice[] {
    const what = `${instance.name} ${describe(call)}`;
    if (call.reply) {
      const { reply } = call;
      return [
        { label: `the response arrives: ${what}`, run: () => this.#deliver(instance, call, reply) },
      ];
    }
    const answer = (label: string, freedom = {}) => ({
      label: `${what}${label}`,
      run: () => this.#deliver(instance, call, this.#execute(call, freedom)),
    });
    const isWeakRead = call.action === 'GetItem' && !call.input.ConsistentRead;
    this.#hasWeakReads ||= isWeakRead;
    const canBeCut = call.action === 'Query' && this.scope.canPagesBeCut;
    return [
      answer(''),
      ...(isWeakRead ? [answer(', as it was before', { isStale: true })] : []),
      ...(canBeCut ? [answer(', cut after one item', { pageSize: 1 })] : []),
      ...(this.scope.faults?.kinds ?? []).flatMap((kind) =>
        this.#fault(kind, instance, call, what),
      ),
    ];
  }

  #fault(kind: FaultKind, instance: Instance, call: Call, what: string): Choice[] {
    const { max = 0, instances = [instance.name] } = this.scope.faults ?? {};
    if (this.faultsUsed >= max || !instances.includes(instance.name)) return [];
    const isWrite = call.action === 'PutItem' || call.action === 'UpdateItem';
    const fault = (label: string, run: () => void): Choice[] => [
      {
        label: `${label}: ${what}`,
        run: () => {
          this.faultsUsed += 1;
          run();
        },
      },
    ];
    switch (kind) {
      case 'request lost':
        return fault('the request is lost', () => this.#deliver(instance, call, reset()));
      case 'response lost':
        // A read whose response is lost is a read that comes later.
        if (!isWrite) return [];
        return fault('the response is lost', () => {
          this.#execute(call);
          this.#deliver(instance, call, reset());
        });
      case 'response late':
        return fault('the response is late', () => {
          call.reply = this.#execute(call);
        });
      case 'effect late':
        if (!isWrite) return [];
        return fault('it times out and takes effect later', () => {
          this.#orphans.push(call);
          this.#deliver(instance, call, reset());
        });
      case 'throttled':
        return fault('it is throttled', () =>
          this.#deliver(instance, call, refusal('ProvisionedThroughputExceededException')),
        );
      case '500 before':
        return fault('DynamoDB fails before the effect', () =>
          this.#deliver(instance, call, refusal('InternalServerError', 500)),
        );
      case '500 after':
        return fault('DynamoDB fails after the effect', () => {
          this.#execute(call);
          this.#deliver(instance, call, refusal('InternalServerError', 500));
        });
      case 'crash':
        // What it knew is lost, so to die anywhere before its next write makes no difference.
        if (!isWrite) return [];
        return fault('the instance dies after', () => {
          this.#execute(call);
          this.#crash(instance);
        });
      case 'crash, effect late':
        if (!isWrite) return [];
        return fault('the instance dies, and it takes effect later', () => {
          this.#orphans.push(call);
          this.#crash(instance);
        });
      case 'out of time':
        return [];
    }
  }

  #deliver(instance: Instance, call: Call, outcome: Reply | Error): void {
    instance.calls.splice(instance.calls.indexOf(call), 1);
    const text = outcome instanceof Error ? outcome.message : JSON.stringify(outcome);
    this.#tell(instance, `${call.place} ${text}`);
    call.settle(outcome);
  }

  /** The time is part of it, because the code may read the clock now. */
  #tell(instance: Instance, text: string): void {
    instance.history.push(hash('md5', `${this.nowMs} ${text}`, 'base64'));
  }

  #crash(instance: Instance): void {
    this.#instances.delete(instance.name);
    for (const attempt of [...instance.attempts]) {
      attempt.end({ status: 502, body: 'the instance died', link: undefined });
    }
  }

  #deadline(instance: Instance, attempt: Attempt): Choice[] {
    const { runOut, client, place } = attempt;
    if (!this.scope.faults?.kinds.includes('out of time') || !runOut) return [];
    if (this.faultsUsed >= this.scope.faults.max) return [];
    return [
      {
        label: `${client.name} runs out of time`,
        run: () => {
          this.faultsUsed += 1;
          delete attempt.runOut;
          this.#tell(instance, `${client.name} ${place} runs out of time`);
          runOut();
        },
      },
    ];
  }

  /** A long timer is the end of a request's time. A short one is a wait before a retry, and ends. */
  #startTimer(callback: () => void, ms: number): void {
    if (ms < 5_000) queueMicrotask(callback);
    else if (this.#timerOwner) this.#timerOwner.runOut = callback;
  }

  #events(): Choice[] {
    const once = (this.scope.events ?? [])
      .filter(({ label, when }) => !this.#eventsDone.has(label) && (when?.(this) ?? true))
      .map(({ label, apply }) => ({
        label,
        run: () => {
          this.#eventsDone.add(label);
          apply(this);
        },
      }));
    const expired = [...this.database.table('idempotency').items]
      .filter(([, item]) => Number(item.expiresAtEpochSeconds?.N) <= this.nowSeconds)
      .map(([key]) => ({
        label: `the time to live deletes ${key}`,
        run: () => this.database.set('idempotency', key, undefined),
      }));
    const lagging = [...this.database.lagging].sort().map((key) => ({
      label: `the index catches up with ${key}`,
      run: () => this.database.catchUp('pets', key),
    }));
    return [...once, ...expired, ...lagging];
  }
}

const environment = {
  AWS_LAMBDA_FUNCTION_NAME: 'petstore',
  AWS_REGION: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
  POWERTOOLS_METRICS_DISABLED: 'true',
  STAGE: apiKeyOf('1').split('_')[1] ?? '',
  PETS_TABLE: 'pets',
  API_KEYS_TABLE: 'keys',
  IDEMPOTENCY_TABLE: 'idempotency',
};

function hasState({ history, attempts, calls }: Instance): boolean {
  return history.length + attempts.length + calls.length > 0;
}

function isIdle({ attempts, calls }: Instance): boolean {
  return attempts.length === 0 && calls.length === 0;
}

function reset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** For traces: `puts PET#1`. */
function describe({ action, input }: Call): string {
  const item = input.Key ?? input.Item ?? input.ExpressionAttributeValues ?? {};
  const [key] = Object.values(item);
  const verb = { GetItem: 'reads', PutItem: 'puts', UpdateItem: 'updates', Query: 'queries' };
  return `${verb[action as keyof typeof verb]} ${input.TableName} ${key?.S ?? key?.N}`;
}

function sorted(map: Map<string, unknown>): unknown[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
