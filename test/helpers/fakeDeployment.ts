import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { STS } from '@aws-sdk/client-sts';
import { vi } from 'vitest';
import type { Stage } from '../../infra/stageSchema.ts';
import { config } from '../../lib/config.ts';

// The clients of AWS, and the programs that `npm run deploy` starts. They only say how they were called.

export const { stage: name, tableNames } = config();
export const service = `PetStore-${name}`;
export const release = `${service}-Api-Release`;
export const heartbeat = `${service}-Service-Heartbeat`;
export const arnOf = (alarm: string) => `arn:aws:cloudwatch:eu-west-1:111122223333:alarm:${alarm}`;

const untouched = {
  settings: {
    isDurable: true,
    account: { id: '111122223333', region: 'eu-west-1' },
  } as Partial<Pick<Stage, 'isDurable' | 'account' | 'corsOrigins'>>,
  /** The states of the index, one for each look at it, until it is active. */
  index: [] as string[],
  /** How programs and calls of AWS end that begin so. A signal comes while they run. */
  ends: {} as Record<string, number | NodeJS.Signals | Error>,
};

/** What the next run meets. */
export const world = structuredClone(untouched);

/** What the last run called, in its order. */
export const calls: string[] = [];
export const assemblies = new Set<string>();
/** The environment of the last program. */
export let environment: NodeJS.ProcessEnv = {};

type Input = Record<string, string | string[]>;
type Send = (command: { input: Input }, options: { abortSignal: AbortSignal }) => Promise<unknown>;

/** Puts the fakes in their places for one test, whose file lets vitest spy on `node:child_process`. */
export function fakeDeployment(): void {
  Object.assign(world, structuredClone(untouched));
  calls.length = 0;
  assemblies.clear();
  vi.mocked(spawn).mockImplementation(runProgram as typeof spawn);
  for (const { prototype } of [CloudFormation, CloudWatch, DynamoDB, STS]) {
    vi.spyOn(prototype as unknown as { send: Send }, 'send').mockImplementation(callAws);
  }
}

const endOf = (call: string) =>
  Object.entries(world.ends).find(([start]) => call.startsWith(start))?.[1] ?? 0;

/** Responds, or ends as `world` says, or as this process ends it. */
async function callAws(...[command, { abortSignal }]: Parameters<Send>): Promise<unknown> {
  const action = command.constructor.name.replace('Command', '');
  const call = [action, ...Object.values(command.input).flat()].join(' ');
  calls.push(call);
  const end = endOf(call);
  if (end instanceof Error) throw end;
  if (typeof end === 'string') process.emit(end);
  // As the SDK does.
  if (abortSignal.aborted) throw new DOMException('Request aborted', 'AbortError');
  return responses[action]?.(command.input);
}

/** Ends as `world` says, or as this process ends it. */
function runProgram(
  _node: string,
  [file = '', ...args]: string[],
  { env = {} }: { env?: NodeJS.ProcessEnv },
) {
  environment = env;
  const assembly = args.find((arg) => arg.startsWith('/'));
  if (assembly) assemblies.add(assembly);
  const program = file.includes('/aws-cdk/') ? 'cdk' : file.replace(/.*\//, '');
  const call = [program, ...args.map((arg) => (arg === assembly ? 'ASSEMBLY' : arg))].join(' ');
  calls.push(call);
  let exitCode: number | null = 0;
  const child = Object.assign(new EventEmitter() as ChildProcess, {
    kill() {
      exitCode = null;
      return true;
    },
  });
  const end = endOf(call);
  setImmediate(() => {
    if (typeof end === 'string') process.emit(end);
    else exitCode = Number(end);
    child.emit('exit', exitCode);
  });
  return child;
}

const outputs = [
  { OutputKey: 'BaseAddress', OutputValue: 'https://api.example.com/v1' },
  { OutputKey: 'ReleaseAlarmArn', OutputValue: arnOf(release) },
  { OutputKey: 'HeartbeatAlarmArn', OutputValue: arnOf(heartbeat) },
];

const responses: Record<string, (input: Input) => object> = {
  GetCallerIdentity: () => ({ Account: '111122223333' }),
  DescribeStacks: () => ({ Stacks: [{ Outputs: outputs }] }),
  DescribeAlarms: ({ AlarmNames = [] }) => ({
    MetricAlarms: [AlarmNames].flat().map((AlarmName) => ({ AlarmName, StateValue: 'OK' })),
  }),
  DescribeTable: () => {
    const IndexStatus = world.index.shift() ?? 'ACTIVE';
    return { Table: { GlobalSecondaryIndexes: [{ IndexName: 'byStatus', IndexStatus }] } };
  },
};
