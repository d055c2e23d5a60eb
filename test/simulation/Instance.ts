import { hash } from 'node:crypto';
import type { Input, Reply } from './DynamoDbModel.ts';
import type { Done, Response, RunningCode, Told } from './RunningCode.ts';
import type { Client, Request } from './Scope.ts';

/** A call of DynamoDB that waits for its effect, or whose response is on its way. */
export type Call = { place: number; action: string; input: Input; reply?: Reply };

/** A request without a response. */
export type Attempt = {
  client: Client;
  place: number;
  sentAtMs: number;
  /** Whether its time can run out. */
  hasDeadline?: boolean;
};

/** The steps of the code, by everything that it was told before. It takes the same steps again. */
export type Memory = Map<string, Done[]>;

/** The world that an instance runs in. */
type Surroundings = {
  /** Equal for instances that do the same when they are told the same. */
  identity: string;
  memory: Memory | undefined;
  nowMs(): number;
  /** Whether the state between requests includes the API keys that the instance remembers. */
  keepsApiKeys: boolean;
  /** Starts the code, with a clock of its own. */
  start(nowMs: () => number): RunningCode;
  onCall(call: Call): void;
  onResponse(attempt: Attempt, response: Response): void;
};

/**
 * One instance of the service, with its requests and its calls under way.
 *
 * Its code runs only when it is told something new. Otherwise the instance does what it did before.
 */
export class Instance {
  readonly name: string;
  readonly calls: Call[] = [];
  readonly attempts: Attempt[] = [];
  readonly #surroundings: Surroundings;
  /** The past of the instance, or the values that it keeps when idle. A part of `state`. */
  #history: string[] = [];
  #addsPets = false;
  readonly #told: Told[] = [];
  #toldDigest: string;
  #code: RunningCode | undefined;
  /** How many entries of `#told` the code knows. */
  #toldCode = 0;
  #codeNowMs = 0;

  constructor(name: string, surroundings: Surroundings) {
    this.name = name;
    this.#surroundings = surroundings;
    this.#toldDigest = surroundings.identity;
  }

  /** Equal for two instances only if they go on in the same way. Undefined for a new instance. */
  get state(): unknown[] | undefined {
    if (this.#history.length + this.attempts.length === 0) return undefined;
    return [
      this.name,
      // A list may receive the pages of two shards in any order.
      ...(this.#addsPets ? this.#history : this.#history.toSorted()),
      this.calls.map(({ place, reply }) => [place, reply]),
      this.attempts.map(({ client, place, hasDeadline }) => [client.name, place, !hasDeadline]),
    ];
  }

  receive(attempt: Attempt, request: Request): Promise<void> {
    this.#addsPets ||= request.operation === 'createPet';
    this.attempts.push(attempt);
    this.#note(nameOf(attempt));
    return this.#tell({ nowMs: this.#surroundings.nowMs(), attempt: nameOf(attempt), request });
  }

  /** Gives the code the outcome of a call. */
  deliver(call: Call, outcome: Reply | Error): Promise<void> {
    this.calls.splice(this.calls.indexOf(call), 1);
    this.#note(`${call.place} ${textOf(outcome)}`);
    return this.#tell({ nowMs: this.#surroundings.nowMs(), call: call.place, outcome });
  }

  runOutOfTime(attempt: Attempt): Promise<void> {
    attempt.hasDeadline = false;
    this.#note(`${nameOf(attempt)} runs out of time`);
    return this.#tell({ nowMs: this.#surroundings.nowMs(), outOfTime: nameOf(attempt) });
  }

  die(): void {
    for (const attempt of [...this.attempts]) {
      this.#end(attempt, { status: 502, body: 'the instance died', link: undefined });
    }
  }

  /** The time is part of it, because the code may read the clock now. */
  #note(text: string): void {
    this.#history.push(hash('md5', `${this.#surroundings.nowMs()} ${text}`, 'base64'));
  }

  async #tell(told: Told): Promise<void> {
    const { memory } = this.#surroundings;
    this.#told.push(told);
    const text = JSON.stringify('outcome' in told ? [told, textOf(told.outcome)] : told);
    this.#toldDigest = hash('md5', this.#toldDigest + text, 'base64');
    const done = memory?.get(this.#toldDigest) ?? (await this.#run());
    memory?.set(this.#toldDigest, done);
    for (const step of done) this.#follow(step);
  }

  /** Tells the code all that it does not know. Returns what it does after the last of it. */
  async #run(): Promise<Done[]> {
    this.#code ??= this.#surroundings.start(() => this.#codeNowMs);
    let done: Done[] = [];
    for (; this.#toldCode < this.#told.length; this.#toldCode += 1) {
      const told = this.#told[this.#toldCode] as Told;
      this.#codeNowMs = told.nowMs;
      done = await this.#code.tell(told);
    }
    return done;
  }

  #follow(step: Done): void {
    if ('deadlineOf' in step) {
      const attempt = this.attempts.find((open) => nameOf(open) === step.deadlineOf);
      if (attempt) attempt.hasDeadline = true;
    } else if ('action' in step) {
      const { call: place, action, input } = step;
      const call = { place, action, input };
      this.calls.push(call);
      this.#surroundings.onCall(call);
    } else {
      const attempt = this.attempts.find((open) => nameOf(open) === step.attempt);
      if (attempt) this.#end(attempt, step.response, step.kept);
    }
  }

  #end(attempt: Attempt, response: Response, kept?: { ids: unknown[]; keys: unknown[] }): void {
    this.attempts.splice(this.attempts.indexOf(attempt), 1);
    // An idle instance is known by what it keeps, however it came to that.
    if (kept && this.attempts.length + this.calls.length === 0) {
      const { ids, keys } = kept;
      const values = this.#surroundings.keepsApiKeys ? [...ids, ...keys] : ids;
      this.#history = values.map((value) => JSON.stringify(value));
    }
    this.#surroundings.onResponse(attempt, response);
  }
}

function nameOf({ client, place }: Attempt): string {
  return `${client.name} ${place}`;
}

function textOf(outcome: Reply | Error): string {
  return outcome instanceof Error ? outcome.message : JSON.stringify(outcome);
}
