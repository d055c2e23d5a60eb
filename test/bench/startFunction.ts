import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type CpuShare, pinnedCommand, throttle } from './cpuShare.ts';
import type { RuntimeApi } from './RuntimeApi.ts';
import type { Deployment } from './variants.ts';

/** The memory of the function. Lambda's start script derives the heap sizes from it. */
const memoryMb = 512;

const runtimeClient = join(import.meta.dirname, 'node_modules', 'aws-lambda-ric', 'index.mjs');

type Start = {
  deployment: Deployment;
  environment: Record<string, string>;
  runtimeApi: RuntimeApi;
  cpu: CpuShare;
};

/** Starts a function as Lambda does: with its Node.js flags, variables and runtime client. */
export function startFunction({ deployment, environment, runtimeApi, cpu }: Start): ChildProcess {
  const semiSpaceMb = Math.floor((memoryMb * 5) / 100);
  const [command = '', ...args] = [
    ...pinnedCommand(cpu),
    process.execPath,
    '--expose-gc',
    '--max-http-header-size=81920',
    `--max-semi-space-size=${semiSpaceMb}`,
    `--max-old-space-size=${memoryMb - 2 * semiSpaceMb}`,
    runtimeClient,
  ];
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      TZ: ':UTC',
      LANG: 'en_US.UTF-8',
      ...environment,
      _HANDLER: deployment.handler,
      LAMBDA_TASK_ROOT: deployment.taskRoot,
      AWS_LAMBDA_RUNTIME_API: runtimeApi.address,
      AWS_LAMBDA_FUNCTION_NAME: 'pet',
      AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
      AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      AWS_LAMBDA_LOG_FORMAT: 'JSON',
      AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/pet',
      AWS_LAMBDA_LOG_STREAM_NAME: '2026/11/20/[$LATEST]0',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      AWS_DEFAULT_REGION: environment.AWS_REGION,
    },
  });
  if (cpu === '512 MB') runtimeApi.whenReady = () => throttle(child.pid ?? 0);
  return child;
}
