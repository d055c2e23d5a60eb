import { hash } from 'node:crypto';
import { apiKeysTable, idempotencyTable, petsTable } from '../../lib/dynamodb/tables.ts';
import { DynamoDbModel, type Input, type Item, type Reply } from './DynamoDbModel.ts';
import { eventsOf } from './events.ts';
import { type Call, Instance, type Memory } from './Instance.ts';
import { environmentOf, type StartService } from './loadService.ts';
import { deadlinesOf, describeCall, isWeakRead, outcomesOf } from './outcomes.ts';
import { RunningCode } from './RunningCode.ts';
import type { Client, Received, Scope } from './Scope.ts';
import { apiKeyRecord } from './simulatedRequests.ts';

/** Something that may happen next. */
export type Choice = { label: string; run(): unknown };

type Options = {
  logLevel?: string;
  /** The steps of instances in earlier runs of the scope. */
  memory?: Memory;
};

/** A run of the largest scope takes less than a fifth of them. */
const maxSteps = 1_000;

const startMs = 1_800_000_000_000;

/** One run of a scope: the tables, the instances, the clients, and the choice of what comes next. */
export class World {
  readonly scope: Scope;
  readonly database: DynamoDbModel;
  /** The ids that a list could return when a walk began. */
  readonly visibleAtStart = new Map<string, string[]>();
  readonly initialPets: Item[];
  readonly eventsDone = new Set<string>();
  readonly trace: string[] = [];
  nowMs = startMs;
  faultsUsed = 0;
  readonly #startService: StartService;
  readonly #logLevel: string;
  readonly #memory: Memory | undefined;
  readonly #instances = new Map<string, Instance>();
  readonly #generations = new Map<string, number>();
  readonly #sentCounts = new Map<string, number>();
  readonly #received = new Map<string, Received[]>();
  /** Writes without a recipient that still reach the tables. */
  readonly #lateWrites: Call[] = [];
  #isFaultFree = false;
  /** The service has none. A mutant may. */
  #hasWeakReads = false;

  constructor(
    scope: Scope,
    startService: StartService,
    { logLevel = 'SILENT', memory }: Options = {},
  ) {
    this.scope = scope;
    this.#startService = startService;
    this.#logLevel = logLevel;
    this.#memory = memory;
    const tables = { pets: petsTable, keys: apiKeysTable, idempotency: idempotencyTable };
    this.database = new DynamoDbModel(tables, { hasIndexLag: scope.hasIndexLag ?? false });
    for (const name of ['1', '2']) this.set('keys', apiKeyRecord(name));
    scope.setUp?.(this);
    for (const key of this.database.lagging) this.database.catchUp('pets', key);
    this.initialPets = this.pets().filter(({ name }) => name);
  }

  /** Seconds since 1970, as the time to live sees them. */
  get nowSeconds(): number {
    return Math.floor(this.nowMs / 1000);
  }

  /** Writes an item without the service. */
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

  /** The responses that a client has got. */
  receivedBy(clientName: string): Received[] {
    return this.#received.get(clientName) ?? [];
  }

  /** Sends the requests that start at once, then runs the code until it waits for a call. */
  async begin(): Promise<void> {
    await this.#settle();
  }

  /** Takes one of the choices, and then each step that has no alternative. */
  async take(index: number): Promise<void> {
    let choice = this.choices()[index];
    if (!choice) throw new Error(`There is no choice ${index} here: ${this.labels().join('; ')}`);
    while (choice) {
      this.trace.push(choice.label);
      if (this.trace.length > maxSteps)
        throw new Error(`It has not ended after ${maxSteps} steps.`);
      if (this.#logLevel !== 'SILENT') process.stdout.write(`- ${choice.label}\n`);
      await choice.run();
      await this.#settle();
      const next = this.choices();
      choice = next.length === 1 ? next[0] : undefined;
    }
  }

  labels(): string[] {
    return this.choices().map(({ label }) => label);
  }

  /** Everything that may happen next, in the same order for the same state. */
  choices(): Choice[] {
    const instances = [...this.#instances.values()];
    return [
      ...instances.flatMap((instance) =>
        instance.calls.flatMap((call) => outcomesOf(this, instance, call)),
      ),
      ...this.#lateWrites.map((call) => ({
        label: `the late write takes effect: ${describeCall(call)}`,
        run: () => {
          this.#lateWrites.splice(this.#lateWrites.indexOf(call), 1);
          this.execute(call);
        },
      })),
      ...this.scope.clients
        .filter((client) => this.#sentCount(client) === 0 && client.when?.(this))
        .map((client) => ({ label: `${client.name} is sent`, run: () => this.#send(client) })),
      ...instances.flatMap((instance) => deadlinesOf(this, instance)),
      ...eventsOf(this),
    ];
  }

  /** A digest that is equal for two runs only if they continue in the same ways. */
  state(): string {
    const tables = [...this.database.tables.values()].map(({ items, previous, indexed }) => [
      sorted(items),
      this.#hasWeakReads ? sorted(previous) : [],
      this.scope.hasIndexLag ? sorted(indexed) : [],
    ]);
    const instances = [...this.#instances.values()].flatMap(({ state }) => (state ? [state] : []));
    const lateWrites = this.#lateWrites.map(({ action, input }) => JSON.stringify([action, input]));
    return hash(
      'md5',
      JSON.stringify([
        tables,
        instances.sort(),
        lateWrites.sort(),
        sorted(this.#received),
        sorted(this.#sentCounts),
        sorted(this.visibleAtStart),
        [...this.eventsDone].sort(),
        [...this.database.lagging].sort(),
        this.nowMs,
        this.faultsUsed,
      ]),
      'base64',
    );
  }

  /** Lets a call take effect. `freedom` is what DynamoDB may do with a read. */
  execute({ action, input }: Call, freedom = {}): Reply {
    return this.database.execute(action, input, freedom);
  }

  /** Lets a call take effect later, without a recipient. */
  postpone(call: Call): void {
    this.#lateWrites.push(call);
  }

  crash(instance: Instance): void {
    this.#instances.delete(instance.name);
    instance.die();
  }

  /** Sends a request when all faults are over, on an instance that has seen none of them. */
  async sendWithoutFaults(client: Client): Promise<Received | undefined> {
    this.#isFaultFree = true;
    await this.#send(client, 'fault-free');
    return this.receivedBy(client.name).at(-1);
  }

  /** Sends what is ready, until every client waits or has ended. */
  async #settle(): Promise<void> {
    for (;;) {
      const client = this.scope.clients.find((one) => this.#isReady(one));
      if (!client) return;
      await this.#send(client);
    }
  }

  #sentCount({ name }: Client): number {
    return this.#sentCounts.get(name) ?? 0;
  }

  /** Whether a client has got all responses so far and has another request. */
  #isReady(client: Client): boolean {
    const received = this.receivedBy(client.name);
    const sentCount = this.#sentCount(client);
    const isStarted = !client.when || sentCount > 0;
    return isStarted && received.length === sentCount && client.next(received) !== undefined;
  }

  async #send(client: Client, instanceName?: string): Promise<void> {
    const received = this.receivedBy(client.name);
    const request = client.next(received) ?? client.next([]);
    if (!request) throw new Error(`${client.name} has nothing to send.`);
    if (received.length === 0) {
      const { indexed } = this.database.table('pets');
      const ids = [...indexed.values()].flatMap(({ id }) => id?.N ?? []);
      this.visibleAtStart.set(client.name, ids);
    }
    const place = this.#sentCount(client);
    this.#sentCounts.set(client.name, place + 1);
    const name = instanceName ?? client.on[place] ?? client.on.at(-1) ?? 'A';
    const instance = this.#instances.get(name) ?? this.#start(name);
    await instance.receive({ client, place, sentAtMs: this.nowMs }, request);
  }

  #start(name: string): Instance {
    const settings = this.scope.instances?.[name] ?? {};
    const generation = (this.#generations.get(name) ?? 0) + 1;
    this.#generations.set(name, generation);
    const { areKeyReadsChoices = false } = this.scope;
    const isChoice = (input: Input) =>
      !this.#isFaultFree && (input.TableName !== 'keys' || areKeyReadsChoices);
    const instance = new Instance(name, {
      identity: JSON.stringify([name, generation, settings]),
      // A fault-free instance makes no choices of its calls, so it must not share the memory.
      memory: this.#isFaultFree ? undefined : this.#memory,
      nowMs: () => this.nowMs,
      keepsApiKeys: areKeyReadsChoices,
      start: (nowMs) => {
        let uuids = 0;
        const service = this.#startService({
          environment: environmentOf(settings, this.#logLevel),
          nowMs: () => nowMs() + (settings.clockOffsetMs ?? 0),
          randomUUID: () => `${name}${generation}-${++uuids}`,
        });
        return new RunningCode(service, (action, input) =>
          isChoice(input) ? undefined : this.database.execute(action, input),
        );
      },
      onCall: (call) => {
        this.#hasWeakReads ||= isWeakRead(call);
      },
      onResponse: ({ client, sentAtMs }, response) => {
        const received = { ...response, sentAtMs, receivedAtMs: this.nowMs };
        this.#received.set(client.name, [...this.receivedBy(client.name), received]);
        this.trace.push(`${client.name} gets ${response.status} ${response.body}`);
      },
    });
    this.#instances.set(name, instance);
    return instance;
  }
}

function sorted(map: Map<string, unknown>): unknown[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
