import { counterKey, listKeys, petKeys, placeOf, type ShardSettings } from './accessPattern.ts';
import { KeySpace } from './KeySpace.ts';

type Simulation = {
  settings: ShardSettings;
  createsPerSecond?: number;
  /** Lists of the first page, 20 pets of one status. */
  listsPerSecond?: number;
  /** Units a second of the table, and as many of its index. */
  tableUnits?: { read: number; write: number };
};

type Taken = { createsPerSecond: number; listsPerSecond: number };

/** So many requests of each kind are played a second, and each stands for its share of the rate. */
const playedRequests = 2_000;

/** Long enough for every split that helps. */
const settlingSeconds = 60;
const measuredSeconds = 10;

/** Plays requests against the table and its index until no split helps, and returns what they took. */
export function simulateRequests({
  settings,
  createsPerSecond = 0,
  listsPerSecond = 0,
  tableUnits = { read: Number.POSITIVE_INFINITY, write: Number.POSITIVE_INFINITY },
}: Simulation): Taken {
  const store = new SimulatedStore(settings, tableUnits);
  const taken = { creates: 0, lists: 0 };
  for (let second = 0; second < settlingSeconds + measuredSeconds; second += 1) {
    if (second === settlingSeconds) Object.assign(taken, { creates: 0, lists: 0 });
    for (let n = 0; n < playedRequests; n += 1) {
      if (createsPerSecond > 0) taken.creates += store.create(createsPerSecond / playedRequests);
      if (listsPerSecond > 0) taken.lists += store.list(listsPerSecond / playedRequests);
    }
    store.endSecond();
  }
  return {
    createsPerSecond: taken.creates / measuredSeconds,
    listsPerSecond: taken.lists / measuredSeconds,
  };
}

/** The table of the pets and its index, asked as the functions ask. */
class SimulatedStore {
  readonly #settings: ShardSettings;
  readonly #table: KeySpace;
  readonly #index: KeySpace;
  readonly #counter = placeOf(counterKey);
  readonly #shards: ReturnType<typeof placeOf>[];
  #lastId = 0;
  #leasedIds = 0;

  constructor(settings: ShardSettings, quota: { read: number; write: number }) {
    this.#settings = settings;
    this.#table = new KeySpace({ quota });
    this.#index = new KeySpace({ quota });
    this.#shards = listKeys({ status: 'available' }, settings).map(placeOf);
  }

  /** Plays so many createPet as one; returns how many were not throttled. */
  create(requests: number): number {
    if (this.#leasedIds === 0) {
      if (!this.#table.hasRoom(this.#counter, 'write', requests)) return 0;
      this.#table.take(this.#counter, 'write', requests);
      this.#leasedIds = this.#settings.idsPerLease;
    }
    this.#leasedIds -= 1;
    this.#lastId += 1;
    const keys = petKeys({ id: this.#lastId, status: 'available' }, this.#settings);
    const [pet, entry] = [placeOf(keys.table), placeOf(keys.index)];
    const hasTableRoom = this.#table.hasRoom(pet, 'write', requests);
    // Where the index has no room, the write to the table is throttled: its back-pressure.
    const hasIndexRoom = this.#index.hasRoom(entry, 'write', requests);
    if (!hasTableRoom || !hasIndexRoom) return 0;
    this.#table.take(pet, 'write', requests);
    this.#index.take(entry, 'write', requests);
    return requests;
  }

  /** Plays so many listPets as one: it fails where one of its queries finds no room. */
  list(requests: number): number {
    const units = requests / 2;
    if (!this.#shards.every((place) => this.#index.hasRoom(place, 'read', units))) return 0;
    for (const place of this.#shards) this.#index.take(place, 'read', units);
    return requests;
  }

  endSecond(): void {
    this.#table.endSecond();
    this.#index.endSecond();
  }
}
