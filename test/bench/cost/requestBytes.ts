import { readFileSync } from 'node:fs';

/** The results of `npm run bench:log -- --write`. */
export const requestBytesFile = 'test/bench/cost/requestBytes.json';

export type RequestBytes = {
  /** The line of the function. */
  functionLog: number;
  /** The metrics that the line publishes, each with the values of its dimensions. */
  metrics: string[];
  body: number;
  gzippedBody: number;
};

export type RequestName =
  | 'createPet'
  | 'getPet'
  | 'listPets of 20'
  | 'listPets of 100'
  // With a list, what the heartbeat sends.
  | 'listPets without a key'
  | 'createPet without a name';

export type MeasuredBytes = { accessLog: number; requests: Record<RequestName, RequestBytes> };

const measured: MeasuredBytes = JSON.parse(readFileSync(requestBytesFile, 'utf8'));

export const { accessLog: accessLogBytes, requests: requestBytes } = measured;
