import { partitionLimits } from './awsLimits.ts';

/** Where an item lies: what its partition key hashes to, from 0 to 1, and then its sort key. */
export type Place = { hash: number; sortKey: number };

export type Access = 'read' | 'write';

type Units = Record<Access, number>;

type Partition = {
  from: Place;
  taken: Units;
  demanded: Units;
  /** Places that were asked for this second. */
  places: Place[];
};

/** A partition is hot, and is split, where it is asked for this share of what it can give. */
const hotShare = 0.9;

/** Enough to find the middle of what a partition is asked for. */
const maxPlaces = 500;

/**
 * The partitions of one table, or of one index, through the seconds.
 *
 * Each gives 1,000 writes and 3,000 reads a second, whatever the others do: of adaptive capacity no
 * more is left to model. At the end of a second a hot one is split in the middle of what it was asked
 * for, which may lie between two partition keys or between two sort keys of one.
 */
export class KeySpace {
  #partitions: Partition[] = [];
  #taken: Units = { read: 0, write: 0 };
  readonly #quota: Units;

  /** A new on-demand table is good for 4,000 writes and 12,000 reads a second: four partitions. */
  constructor({ quota, partitions = 4 }: { quota: Units; partitions?: number }) {
    this.#quota = quota;
    for (let n = 0; n < partitions; n += 1) {
      this.#partitions.push(newPartition({ hash: n / partitions, sortKey: 0 }));
    }
  }

  get partitionCount(): number {
    return this.#partitions.length;
  }

  /** Whether the partition and the table's quota have so much left in this second. */
  hasRoom(place: Place, access: Access, units: number): boolean {
    const partition = this.#find(place);
    partition.demanded[access] += units;
    if (partition.places.length < maxPlaces) partition.places.push(place);
    return (
      fits(partition.taken[access] + units, partitionLimits[access]) &&
      fits(this.#taken[access] + units, this.#quota[access])
    );
  }

  /** Takes what there is room for. */
  take(place: Place, access: Access, units: number): void {
    this.#find(place).taken[access] += units;
    this.#taken[access] += units;
  }

  /** Splits what was hot; the next second begins with nothing taken. */
  endSecond(): void {
    this.#partitions = this.#partitions.flatMap((partition) => {
      const { from, places } = partition;
      const at = isHot(partition) && splitPlace(from, places);
      return at ? [newPartition(from), newPartition(at)] : [newPartition(from)];
    });
    this.#taken = { read: 0, write: 0 };
  }

  #find(place: Place): Partition {
    let low = 0;
    let high = this.#partitions.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (compare((this.#partitions[middle] as Partition).from, place) <= 0) low = middle;
      else high = middle - 1;
    }
    return this.#partitions[low] as Partition;
  }
}

function newPartition(from: Place): Partition {
  return { from, taken: { read: 0, write: 0 }, demanded: { read: 0, write: 0 }, places: [] };
}

function isHot({ demanded }: Partition): boolean {
  return (['read', 'write'] as const).some(
    (access) => demanded[access] >= hotShare * partitionLimits[access],
  );
}

/** The place in the middle; none where all that was asked for is one item. */
function splitPlace(from: Place, places: Place[]): Place | undefined {
  const sorted = places.toSorted(compare);
  const middle = sorted[Math.floor(sorted.length / 2)] as Place;
  const first = sorted[0] as Place;
  const at =
    compare(middle, first) > 0 ? middle : sorted.find((place) => compare(place, first) > 0);
  return at && compare(at, from) > 0 ? at : undefined;
}

function compare(a: Place, b: Place): number {
  return a.hash - b.hash || a.sortKey - b.sortKey;
}

/** Sums of fractions miss the whole by a little. */
function fits(units: number, limit: number): boolean {
  return units <= limit * (1 + 1e-9);
}
