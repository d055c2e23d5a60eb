import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

/**
 * The share of a processor: a whole one, or what Lambda gives to a size of memory.
 *
 * Lambda runs the init phase at full speed, so `512 MB` limits the share from the first event on.
 * `512 MB throughout` also limits the init phase.
 */
export type CpuShare = 'full' | `${number} MB` | '512 MB throughout';

export const cpuShares: readonly CpuShare[] = ['full', '512 MB', '512 MB throughout'];

/** Lambda gives CPU time in proportion to memory, and a whole processor at this size. */
const wholeProcessorMb = 1_769;

/** Returns the memory of a function with this share. `full` has the heap of 512 MB. */
export function memoryMbOf(cpu: CpuShare): number {
  return cpu === 'full' ? 512 : Number.parseInt(cpu, 10);
}

/** Short enough that a first invocation spans several periods. */
const periodUs = 20_000;

const v1 = '/sys/fs/cgroup/cpu';
const isV1 = existsSync(join(v1, 'cpu.cfs_quota_us'));
const group = join(isV1 ? v1 : '/sys/fs/cgroup', 'petstore-bench');

/** Creates the control group that limits the share of its processes. */
export function prepareCpuShare(): void {
  try {
    mkdirSync(group, { recursive: true });
    limitGroup('512 MB');
  } catch (cause) {
    throw new Error(
      `The share of a size of memory needs write access to the control group ${group}: run as root, or pass --cpu full.`,
      { cause },
    );
  }
}

function limitGroup(cpu: CpuShare): void {
  const quotaUs = Math.round((memoryMbOf(cpu) / wholeProcessorMb) * periodUs);
  if (isV1) {
    writeFileSync(join(group, 'cpu.cfs_period_us'), String(periodUs));
    writeFileSync(join(group, 'cpu.cfs_quota_us'), String(quotaUs));
  } else {
    writeFileSync(join(group, 'cpu.max'), `${quotaUs} ${periodUs}`);
  }
}

/** Removes the control group after its last process ended. */
export function removeCpuShare(): void {
  if (existsSync(group)) rmdirSync(group);
}

/** Limits the share of a process from now on. */
export function throttle(pid: number, cpu: CpuShare): void {
  limitGroup(cpu);
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
}

/** The function runs on the last processor, the engine and the Runtime API on the others. */
const functionCpu = cpus().length - 1;

/** Keeps this process and its children off the processor of the function. */
export function pinHarness(): void {
  if (functionCpu > 0) spawnSync('taskset', ['-apc', `0-${functionCpu - 1}`, String(process.pid)]);
}

/** Returns the start of a command line that runs on the processor of the function. */
export function pinnedCommand(cpu: CpuShare): string[] {
  const pinned = ['taskset', '-c', String(functionCpu)];
  if (cpu !== '512 MB throughout') return pinned;
  limitGroup(cpu);
  return ['sh', '-c', `echo $$ > ${group}/cgroup.procs; exec "$@"`, 'sh', ...pinned];
}
