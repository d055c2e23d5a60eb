/** What is timed, in each store. */
export const measuredRequests = [
  'createPet',
  'createPet with an Idempotency-Key',
  'getPet',
  'listPets, the first page',
  'listPets, the first page of 100',
  'listPets, deep in the pages',
  'listPets of one status, deep',
  'listPets of a rare status',
] as const;

export type MeasuredRequest = (typeof measuredRequests)[number];

/** What a process with a store is told, and what it answers. */
export type Order = { request: MeasuredRequest; count: number };
export type Timed = { medianMs: number; unitsPerRequest: number };
