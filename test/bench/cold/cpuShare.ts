import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

/** Lambda gives CPU time in proportion to memory, and a whole processor at this size. */
export const wholeProcessorMb = 1_769;

/** Short enough that a first invocation spans several periods. */
const periodUs = 20_000;

const v1 = '/sys/fs/cgroup/cpu';
const isV1 = existsSync(join(v1, 'cpu.cfs_quota_us'));
const group = join(isV1 ? v1 : '/sys/fs/cgroup', 'petstore-bench');

/** Creates the control group that limits the share of its processes. */
export function prepareCpuShare(): void {
  try {
    mkdirSync(group, { recursive: true });
    limitGroup(wholeProcessorMb);
  } catch (cause) {
    throw new Error(
      `A share of a processor needs write access to the control group ${group}: run as root, or pass --memory ${wholeProcessorMb}.`,
      { cause },
    );
  }
}

function limitGroup(memoryMb: number): void {
  const quotaUs = Math.round((memoryMb / wholeProcessorMb) * periodUs);
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

/** Limits a process from now on to the share of a size of memory. */
export function throttle(pid: number, memoryMb: number): void {
  if (memoryMb >= wholeProcessorMb) return;
  limitGroup(memoryMb);
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
}

/** The function runs on the last processor, the engine and the Runtime API on the others. */
const functionCpu = cpus().length - 1;

export const pinnedCommand = ['taskset', '-c', String(functionCpu)];

/** Keeps this process and its children off the processor of the function. */
export function pinHarness(): void {
  if (functionCpu > 0) spawnSync('taskset', ['-apc', `0-${functionCpu - 1}`, String(process.pid)]);
}
