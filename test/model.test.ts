import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../functions/createPet.ts';
import { handler as getPet } from '../functions/getPet.ts';
import { handler as listPets } from '../functions/listPets.ts';
import { type PetStatus, petStatuses } from '../lib/schemas.ts';
import { call } from './helpers/api.ts';
import { emptyStore } from './helpers/database.ts';

type Pet = { id: number; name: string; categoryId: number; status: PetStatus };

/** The service as a list in memory. */
type Model = {
  pets: Pet[];
  /** The pet that each Idempotency-Key created. */
  byKey: Map<string, Pet>;
  /** Page walks in progress, with the meaning of their cursors. */
  walks: { cursor: string; status: PetStatus | undefined; afterId: number }[];
};

/** Makes the keys of each run unique, because records outlive the pets of a run. */
type Real = { run: number };

type Command = fc.AsyncCommand<Model, Real>;

const anyPet = fc.record({
  name: fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => /\P{White_Space}/u.test(text)),
  categoryId: fc.integer(),
  status: fc.constantFrom(...petStatuses),
});

class Create implements Command {
  readonly pet: Omit<Pet, 'id'>;
  readonly key: string | undefined;

  constructor(pet: Omit<Pet, 'id'>, key: string | undefined) {
    this.pet = pet;
    this.key = key;
  }

  check = () => true;

  async run(model: Model, { run }: Real): Promise<void> {
    const { key } = this;
    const known = key === undefined ? undefined : model.byKey.get(key);
    const headers = key === undefined ? {} : { 'Idempotency-Key': `${run}-${key}` };

    const { status, json } = await call(createPet, { body: this.pet, headers });

    if (known) {
      const { id: _, ...knownPet } = known;
      const isSame = JSON.stringify(knownPet) === JSON.stringify(this.pet);
      expect(status).toBe(isSame ? 201 : 422);
      if (isSame) expect(json).toEqual(known);
      return;
    }
    expect(status).toBe(201);
    expect(json).toEqual({ ...this.pet, id: (model.pets.at(-1)?.id ?? 0) + 1 });
    model.pets.push(json);
    if (key !== undefined) model.byKey.set(key, json);
  }

  toString = () => `create ${JSON.stringify(this.pet)} with key ${this.key}`;
}

class Get implements Command {
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }

  check = () => true;

  async run({ pets }: Model): Promise<void> {
    const known = pets.find(({ id }) => id === this.id);

    const { status, json } = await call(getPet, { petId: String(this.id) });

    expect(status).toBe(known ? 200 : 404);
    if (known) expect(json).toEqual(known);
  }

  toString = () => `get ${this.id}`;
}

/** The first page of a list, or the next page of the oldest walk. */
class List implements Command {
  readonly limit: number;
  readonly status: PetStatus | undefined;
  readonly isNext: boolean;

  constructor(limit: number, status: PetStatus | undefined, isNext: boolean) {
    this.limit = limit;
    this.status = status;
    this.isNext = isNext;
  }

  check = ({ walks }: Readonly<Model>) => !this.isNext || walks.length > 0;

  async run({ pets, walks }: Model): Promise<void> {
    const walk = this.isNext ? walks.shift() : undefined;
    const wanted = walk ? walk.status : this.status;
    const left = pets.filter(
      ({ id, status }) => id > (walk?.afterId ?? 0) && (!wanted || status === wanted),
    );
    const page = left.slice(0, this.limit);

    const { status, json, headers } = await call(listPets, {
      query: {
        limit: String(this.limit),
        ...(wanted && { status: wanted }),
        ...(walk && { cursor: walk.cursor }),
      },
    });

    expect(status).toBe(200);
    expect(json).toEqual(page);
    const cursor = /cursor=([\w-]+)/.exec(headers.Link ?? '')?.[1];
    if (left.length > this.limit) expect(cursor).toBeDefined();
    if (cursor) walks.push({ cursor, status: wanted, afterId: page.at(-1)?.id ?? 0 });
  }

  toString = () => `list ${this.isNext ? 'the next' : this.status} ${this.limit}`;
}

const commands = fc.commands(
  [
    fc
      .tuple(anyPet, fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined, freq: 1 }))
      .map(([pet, key]) => new Create(pet, key)),
    // Few different pets, so that a retry often has the same body.
    fc
      .tuple(fc.constantFrom(...petStatuses), fc.constantFrom('a', 'b', 'c'))
      .map(([status, key]) => new Create({ name: 'Rex', categoryId: 1, status }, key)),
    fc.integer({ min: 1, max: 12 }).map((id) => new Get(id)),
    fc
      .tuple(
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.constantFrom(...petStatuses), { nil: undefined, freq: 1 }),
        fc.boolean(),
      )
      .map(([limit, status, isNext]) => new List(limit, status, isNext)),
  ],
  { maxCommands: 30, size: 'max' },
);

describe('the service', () => {
  it('behaves like a list in memory for any sequence of creates, reads and pages', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(commands, async (sequence) => {
        await emptyStore();
        runs += 1;
        const run = runs;
        await fc.asyncModelRun(
          () => ({ model: { pets: [], byKey: new Map(), walks: [] }, real: { run } }),
          sequence,
        );
      }),
      // Shrinking stops early enough to report the failure and its seed.
      { numRuns: 15, interruptAfterTimeLimit: 10_000 },
    );
  });
});
