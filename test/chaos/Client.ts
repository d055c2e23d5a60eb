import { assertDescribed } from '../helpers/assertDescribed.ts';
import { idIn, petsIn, petText } from '../helpers/samplePets.ts';
import type { Fleet } from './Fleet.ts';
import type { Creation, Ledger } from './Ledger.ts';
import { pick } from './seededRandom.ts';

type Request = { method?: 'GET' | 'POST'; headers?: Record<string, string>; body?: string };
type Received = { text: string; link: string | null };

const statuses = ['available', 'pending', 'sold'] as const;

/** The integration time-out of the gateway. A function that takes longer hangs. */
const timeoutMs = 12_000;

type Surroundings = { apiKey: string; fleet: Fleet; ledger: Ledger; random: () => number };

/** Sends requests, compares each response with the OpenAPI document, and notes it in the ledger. */
export class Client {
  readonly #apiKey: string;
  readonly #fleet: Fleet;
  readonly #ledger: Ledger;
  readonly #random: () => number;
  /** True after the last fault. From then on, only success is correct. */
  isFaultFree = false;

  constructor({ apiKey, fleet, ledger, random }: Surroundings) {
    this.#apiKey = apiKey;
    this.#fleet = fleet;
    this.#ledger = ledger;
    this.#random = random;
  }

  /** Does one random thing that a client can do. */
  async act(): Promise<void> {
    const chance = this.#random();
    if (chance < 0.35) await this.#create(this.#newCreation());
    else if (chance < 0.65) await this.#createOnce();
    else if (chance < 0.9) await this.#readAny();
    else await this.walk(pick(this.#random, ['', ...statuses]), pick(this.#random, [20, 100]));
  }

  /** Reads a pet by its id, or by a retry of its request if it has an Idempotency-Key. */
  async readBack(creation: Creation): Promise<void> {
    const { idempotencyKey, acknowledgement = '' } = creation;
    if (idempotencyKey !== undefined) return this.#create(creation);
    const received = await this.#send(`/pets/${idIn(acknowledgement)}`);
    if (received && received.text !== acknowledgement) {
      this.#ledger.violations.push(`${acknowledgement} reads as ${received.text}`);
    }
  }

  /** Follows the links of a list. It has each pet that was acknowledged before, by ascending id. */
  async walk(status: string, limit: number): Promise<void> {
    const expected = this.#ledger.acknowledgedPets(status);
    const listed: string[] = [];
    let query: string | undefined = `?limit=${limit}${status && `&status=${status}`}`;
    while (query) {
      const received: Received | undefined = await this.#send(`/pets${query}`);
      if (!received) return;
      listed.push(...petsIn(received.text));
      query = /\?[^>]+/.exec(received.link ?? '')?.[0];
    }
    const ids = listed.map((pet) => Number(idIn(pet)));
    const isAscending = ids.every((id, n) => n === 0 || id > (ids[n - 1] ?? 0));
    const set = new Set(listed);
    const missing = expected.filter((pet) => !set.has(pet));
    if (!isAscending) this.#ledger.violations.push(`a walk lists ${ids.join(', ')}`);
    this.#ledger.violations.push(...missing.map((pet) => `${pet} is missing in a walk`));
  }

  /** Sends a creation several times at once, and retries after a failure, as a good client does. */
  async #createOnce(): Promise<void> {
    const creation = this.#newCreation(`key-${this.#ledger.creations.length}`);
    const copies = pick(this.#random, [1, 1, 2, 3]);
    for (let attempt = 1; attempt <= 3 && !creation.acknowledgement; attempt += 1) {
      await Promise.all(Array.from({ length: copies }, () => this.#create(creation)));
    }
  }

  async #readAny(): Promise<void> {
    const acknowledged = this.#ledger.acknowledged();
    if (acknowledged.length > 0) await this.readBack(pick(this.#random, acknowledged));
  }

  #newCreation(idempotencyKey?: string): Creation {
    const name = `pet ${this.#ledger.creations.length}`;
    const members = petText({ name, status: pick(this.#random, statuses) }).slice(1, -1);
    const creation = { name, members, ...(idempotencyKey !== undefined && { idempotencyKey }) };
    this.#ledger.creations.push(creation);
    return creation;
  }

  async #create(creation: Creation): Promise<void> {
    const { members, idempotencyKey } = creation;
    const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
    const received = await this.#send('/pets', { method: 'POST', headers, body: `{${members}}` });
    if (!received) return;
    const expected = `{"id":${idIn(received.text)},${members}}`;
    if (received.text !== expected) {
      this.#ledger.violations.push(`${expected} was sent and ${received.text} acknowledged`);
    }
    this.#ledger.acknowledge(creation, received.text);
  }

  /** Returns `undefined` if the response tells nothing: the instance died, or sent 503. */
  async #send(path: string, { method = 'GET', headers, body }: Request = {}) {
    const instance = await this.#fleet.any(this.#random);
    try {
      const response = await fetch(`${instance.baseAddress}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.#apiKey}`,
          'Content-Type': 'application/json',
          ...headers,
        },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body !== undefined && { body }),
      });
      const { status } = response;
      const text = await response.text();
      this.#ledger.count(status);
      assertDescribed(method, new URL(response.url).pathname, {
        status,
        headers: Object.fromEntries(response.headers),
        text,
      });
      if (response.ok) return { text, link: response.headers.get('Link') };
      if (status !== 503 || this.isFaultFree) throw new Error(`${status} ${text}`);
    } catch (error) {
      if (instance.isKilled) this.#ledger.count('none');
      else this.#ledger.violations.push(`${method} ${path}: ${error}`);
    }
    return undefined;
  }
}
