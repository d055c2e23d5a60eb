import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { functionEnvironment } from '../../lib/config.ts';
import { mapTables } from '../../lib/tables.ts';

/** The response to the last event that was sent, and the CPU time of each. */
type Sent = { body: string; cpuUs: number };

/**
 * Starts a function as Lambda does with 512 MB, and waits for its init phase.
 *
 * As on Lambda, the init phase has a whole processor, and the requests have a share of it.
 */
export async function startFunction(
  file: string,
  processorShare: number,
  databaseEnvironment: Record<string, string>,
) {
  const args = [
    '-c',
    String(functionCpu),
    process.execPath,
    // Lambda's flags. The heap sizes are 5 and 90 % of the memory.
    '--expose-gc',
    '--max-semi-space-size=25',
    '--max-old-space-size=462',
    join(import.meta.dirname, 'runtime.js'),
    file,
  ];
  const startedAtMs = performance.now();
  const child = spawn('taskset', args, {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: {
      PATH: process.env.PATH,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'bench',
      AWS_SESSION_TOKEN: 'x'.repeat(800), // a role's token is about as long
      AWS_LAMBDA_FUNCTION_NAME: 'pet',
      ...functionEnvironment({
        stage: 'bench',
        tableNames: mapTables((name) => name),
        idsPerLease: 1,
      }),
      ...databaseEnvironment,
    },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const channel = child.stdio[3] as Duplex;
  const lines = createInterface({ input: channel })[Symbol.asyncIterator]();
  async function nextLine(): Promise<Sent> {
    const { value } = await lines.next();
    if (value === undefined) throw new Error('The function ended: see above.');
    return JSON.parse(value);
  }
  await nextLine();
  const initMs = performance.now() - startedAtMs;
  if (processorShare < 1) limitProcessor(child.pid ?? 0, processorShare);
  return {
    initMs,
    send(event: unknown, times = 1): Promise<Sent> {
      channel.write(`${JSON.stringify({ event: JSON.stringify(event), times })}\n`);
      return nextLine();
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Functions run on the last processor, the bench and its database on the others. */
const functionCpu = cpus().length - 1;

export function pinBench(): void {
  if (functionCpu > 0) spawnSync('taskset', ['-apc', `0-${functionCpu - 1}`, String(process.pid)]);
}

const v1 = '/sys/fs/cgroup/cpu';
const isV1 = existsSync(join(v1, 'cpu.cfs_quota_us'));
const controlGroup = join(isV1 ? v1 : '/sys/fs/cgroup', `petstore-bench-${process.pid}`);

/** Short enough that a first request spans several periods. */
const periodUs = 20_000;

/** Moves a process to a control group with a share of a processor. It needs root. */
function limitProcessor(pid: number, share: number): void {
  if (!existsSync(controlGroup)) {
    mkdirSync(controlGroup);
    process.once('exit', () => rmdirSync(controlGroup)); // its functions have ended
  }
  const quotaUs = Math.round(share * periodUs);
  const limit: Record<string, string> = isV1
    ? { 'cpu.cfs_period_us': String(periodUs), 'cpu.cfs_quota_us': String(quotaUs) }
    : { 'cpu.max': `${quotaUs} ${periodUs}` };
  for (const [file, value] of Object.entries({ ...limit, 'cgroup.procs': String(pid) })) {
    writeFileSync(join(controlGroup, file), value);
  }
}
