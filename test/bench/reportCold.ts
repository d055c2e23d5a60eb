import { variants } from './coldVariants.ts';
import type { CpuShare } from './cpuShare.ts';
import type { MeasuredOperation } from './events.ts';
import { machine } from './machine.ts';
import { median } from './median.ts';

export type ColdRun = {
  variant: string;
  operation: MeasuredOperation;
  cpu: CpuShare;
  initMs: number;
  invocationMs: number;
  totalMs: number;
};

export function reportCold(runs: ColdRun[], _o: { isWritten: boolean }): void {
  process.stdout.write(`${machine()}\n`);
  const cpus = [...new Set(runs.map((r) => r.cpu))];
  for (const cpu of cpus) {
    for (const op of ['createPet', 'listPets']) {
      process.stdout.write(`\n${cpu} ${op}\n`);
      const of = (v: string, k: 'initMs' | 'invocationMs' | 'totalMs') =>
        median(
          runs
            .filter((r) => r.cpu === cpu && r.operation === op && r.variant === v)
            .map((r) => r[k]),
        );
      for (const { name } of variants) {
        if (Number.isNaN(of(name, 'totalMs'))) continue;
        process.stdout.write(
          `${name.padEnd(12)} init ${of(name, 'initMs').toFixed(1).padStart(7)} inv ${of(name, 'invocationMs').toFixed(1).padStart(7)} (${(of('service', 'invocationMs') / of(name, 'invocationMs')).toFixed(2)}) total ${of(name, 'totalMs').toFixed(1).padStart(7)}  service/this ${(of('service', 'totalMs') / of(name, 'totalMs')).toFixed(3)}\n`,
        );
      }
    }
  }
}
