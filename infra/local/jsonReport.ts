import { maskApiKeys } from '../maskApiKeys.ts';
import type { HandledRequest } from './localGateway.ts';
import type { SeedProgress } from './seedPets.ts';

export type StartedService = {
  /** Ends in `/v1`. */
  baseAddress: string;
  /** The address of the documentation page. */
  docsAddress: string;
  apiKey: string;
  /** For people: `embedded, in .petstore`. */
  database: string;
};

/** Everything that `npm start` prints to stdout. Errors go to stderr. */
export type Report = {
  seeding(progress: SeedProgress): void;
  /** The seeding has ended, complete or not. */
  seeded(progress: SeedProgress): void;
  started(service: StartedService): void;
  handled(request: HandledRequest): void;
  /** An error that the functions log. Without this, its line is printed as JSON. */
  failed?(message: string, fields: Record<string, unknown>): void;
  /** `file` is the file that changed. */
  restarting(file: string): void;
  stopped(): void;
};

/** Reports to a program: one JSON object per line, named by its `event`. */
export function jsonReport(output: NodeJS.WritableStream = process.stdout): Report {
  function printEvent(event: string, fields: object = {}): void {
    output.write(`${JSON.stringify({ event, time: new Date(), ...fields })}\n`);
  }
  return {
    seeding: oncePerQuarter((progress) => printEvent('seeding', progressFields(progress))),
    seeded: (progress) => printEvent('seeded', progressFields(progress)),
    started: (service) => printEvent('started', service),
    handled: ({ method, path, status, durationMs, error }) =>
      printEvent('request', {
        method,
        path: printablePath(path),
        status,
        durationMs: Number(durationMs.toFixed(1)),
        ...error,
      }),
    restarting: (file) => printEvent('restarting', { file }),
    stopped: () => printEvent('stopped'),
  };
}

function progressFields({ writtenPets, totalPets, elapsedMs }: SeedProgress) {
  return { writtenPets, totalPets, durationMs: Math.round(elapsedMs) };
}

/** Passes on the start and three steps of a seeding. `seeded` reports the end. */
export function oncePerQuarter(onProgress: Report['seeding']): Report['seeding'] {
  let nextQuarter = 0;
  return (progress) => {
    const quarter = Math.floor((4 * progress.writtenPets) / progress.totalPets);
    if (quarter < nextQuarter || quarter === 4) return;
    nextQuarter = quarter + 1;
    onProgress(progress);
  };
}

const maxPrintedCharacters = 200;

/** Keeps printable ASCII only, so that a path cannot forge a log line. Masks API keys, then cuts. */
export function printablePath(path: string): string {
  const printable = maskApiKeys(path.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent));
  if (printable.length <= maxPrintedCharacters) return printable;
  return `${printable.slice(0, maxPrintedCharacters)}…`;
}
