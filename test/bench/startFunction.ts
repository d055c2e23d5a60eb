import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { functionEnvironment } from '../../lib/config.ts';
import { mapTables } from '../../lib/tables.ts';

/** Lambda gives CPU time in proportion to memory, and a whole processor at this size. */
export const wholeProcessorMb = 1_769;

export type FunctionResponse = { statusCode: number; body: string };

type Handled = { cpuUs: number; response: FunctionResponse };

/** Starts a function as Lambda does, with its Node.js flags and variables, and waits for its init phase. */
export async function startFunction(
  file: string,
  memoryMb: number,
  databaseEnvironment: Record<string, string>,
) {
  // Lambda derives the heap sizes from the memory.
  const semiSpaceMb = Math.floor((memoryMb * 5) / 100);
  const args = [
    ...['-c', String(functionCpu), process.execPath],
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${semiSpaceMb}`,
    `--max-old-space-size=${memoryMb - 2 * semiSpaceMb}`,
    join(import.meta.dirname, 'runtime.js'),
    file,
  ];
  const startedAtMs = performance.now();
  const child = spawn('taskset', args, {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env: {
      PATH: process.env.PATH,
      TZ: ':UTC',
      LANG: 'en_US.UTF-8',
      AWS_REGION: 'eu-west-1',
      AWS_DEFAULT_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'bench',
      AWS_SESSION_TOKEN: 'x'.repeat(800), // a role's token is about as long
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_LAMBDA_FUNCTION_NAME: 'pet',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
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
  async function nextLine(): Promise<Handled> {
    const { value } = await lines.next();
    if (value === undefined) throw new Error('The function ended: see above.');
    return JSON.parse(value);
  }
  await nextLine();
  return {
    initMs: performance.now() - startedAtMs,
    /** Limits the function from now on to the processor share of its memory. */
    limitProcessor: () => limitProcessor(child.pid ?? 0, memoryMb),
    /** Sends the same event several times, and returns the CPU time of one request and the last response. */
    handle(event: unknown, requests = 1): Promise<Handled> {
      channel.write(`${JSON.stringify({ event: JSON.stringify(event), requests })}\n`);
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

/** Keeps this process and its children off the processor of the functions. */
export function pinBench(): void {
  if (functionCpu > 0) spawnSync('taskset', ['-apc', `0-${functionCpu - 1}`, String(process.pid)]);
}

const v1 = '/sys/fs/cgroup/cpu';
const isV1 = existsSync(join(v1, 'cpu.cfs_quota_us'));
const controlGroup = join(isV1 ? v1 : '/sys/fs/cgroup', `petstore-bench-${process.pid}`);

/** Short enough that a first request spans several periods. */
const periodUs = 20_000;

/** Lets a function run in a control group with its share of a processor. It needs root. */
function limitProcessor(pid: number, memoryMb: number): void {
  if (memoryMb >= wholeProcessorMb) return;
  if (!existsSync(controlGroup)) {
    mkdirSync(controlGroup);
    process.once('exit', () => rmdirSync(controlGroup)); // its functions have ended
  }
  const quotaUs = Math.round((memoryMb / wholeProcessorMb) * periodUs);
  const limit: Record<string, string> = isV1
    ? { 'cpu.cfs_period_us': String(periodUs), 'cpu.cfs_quota_us': String(quotaUs) }
    : { 'cpu.max': `${quotaUs} ${periodUs}` };
  for (const [file, value] of Object.entries({ ...limit, 'cgroup.procs': String(pid) })) {
    writeFileSync(join(controlGroup, file), value);
  }
}
