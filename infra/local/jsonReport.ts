import { oncePerQuarter } from './oncePerQuarter.ts';
import type { Report } from './Report.ts';
import { printablePath } from './requestLine.ts';
import type { SeedProgress } from './seedPets.ts';

/** Reports to a program: one JSON object a line, named by its `event`. */
export function jsonReport(): Report {
  return {
    seeding: oncePerQuarter((progress) => print('seeding', progressFields(progress))),
    seeded: (progress) => print('seeded', progressFields(progress)),
    started: (service) => print('started', service),
    handled: ({ method, path, status, durationMs }) =>
      print('request', {
        method,
        path: printablePath(path),
        status,
        durationMs: Number(durationMs.toFixed(1)),
      }),
    restarting: (file) => print('restarting', { file }),
    stopped: () => print('stopped'),
  };
}

function progressFields({ writtenPets, totalPets, elapsedMs }: SeedProgress) {
  return { writtenPets, totalPets, durationMs: Math.round(elapsedMs) };
}

function print(event: string, fields: Record<string, unknown> = {}): void {
  process.stdout.write(`${JSON.stringify({ event, time: new Date(), ...fields })}\n`);
}
