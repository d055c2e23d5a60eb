import type { FaultKind } from './outcomes.ts';
import type { World } from './World.ts';

export type Request = {
  operation: 'createPet' | 'listPets' | 'getPet';
  apiKey?: string;
  idempotencyKey?: string;
  body?: { name: string; categoryId: number; status?: string };
  query?: Record<string, string>;
  petId?: string;
};

export type Received = {
  status: number;
  body: string;
  link: string | undefined;
  sentAtMs: number;
  receivedAtMs: number;
};

/** Sends one request after the other. What it sends depends only on the responses so far. */
export type Client = {
  name: string;
  /** The instance of each of its requests. The last one repeats. */
  on: string[];
  /** When its first request may be sent. Without it, it is sent at once. */
  when?: (world: World) => boolean;
  next(received: Received[]): Request | undefined;
};

/** Something that happens at most once, at any time from when it may. */
type Event = { label: string; when?: (world: World) => boolean; apply(world: World): void };

export type InstanceSettings = {
  shards?: number;
  writeShards?: number;
  idsPerLease?: number;
  clockOffsetMs?: number;
};

/** A bounded world: what is in it, what may happen, and what must hold beyond the invariants. */
export type Scope = {
  title: string;
  clients: Client[];
  instances?: Record<string, InstanceSettings>;
  faults?: {
    kinds: FaultKind[];
    max: number;
    /** The instances that have them, if equal requests make the others the same case. */
    instances?: string[];
  };
  events?: Event[];
  setUp?: (world: World) => void;
  hasIndexLag?: boolean;
  canPagesBeCut?: boolean;
  areKeyReadsChoices?: boolean;
  /** The statuses that only this scope allows. */
  mayAlsoGet?: number[];
  /** Whether no operator can help, so that some requests never succeed. */
  isBeyondRepair?: boolean;
  /** Returns each broken promise that is about this scope only, as a sentence. */
  check?: (world: World) => string[];
  /** Explored by this many seeded random walks, because it is too large for all orderings. */
  randomWalks?: number;
};
