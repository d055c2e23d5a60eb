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
  /** Absent: there is no stack. */
  outputs: {
    BaseAddress: 'https://api.example.com/v1',
    ReleaseAlarmArn: arnOf(release),
    HeartbeatAlarmArn: arnOf(heartbeat),
  } as object | undefined,
  /** The states of the index, one for each look at it, until it is active. */
  index: [] as string[],
  /** How programs and calls of AWS end that begin so. */
  ends: {} as Record<string, number | NodeJS.Signals | Error>,
  /** The call of AWS that gets no response. */
  hangs: '',
};

/** What the next run meets. */
export const world = structuredClone(untouched);

/** What the last run called, in its order. */
export const calls: string[] = [];
export const assemblies = new Set<string>();
/** The environment of the last program. */
export let environment: NodeJS.ProcessEnv = {};

type Send = (command: object, options: object) => Promise<unknown>;

/** Puts the fakes in their places for one test, whose file lets vitest spy on `node:child_process`. */
export function fakeDeployment(): void {
  Object.assign(world, structuredClone(untouched));
  calls.length = 0;
  assemblies.clear();
  vi.mocked(spawn).mockImplementation(runProgram as typeof spawn);
  for (const { prototype } of [CloudFormation, CloudWatch, DynamoDB, STS]) {
    const client = prototype as unknown as { send: Send };
    const { send } = client;
    vi.spyOn(client, 'send').mockImplementation(async function (this: object, command, options) {
      const action = command.constructor.name.replace('Command', '');
      const { input } = command as { input: Record<string, string | string[]> };
      const call = [action, ...Object.values(input).flat()].join(' ');
      calls.push(call);
      if (action === world.hangs) return send.call(this, command, options);
      const end = endOf(call);
      if (end instanceof Error) throw end;
      return responseOf(action, input);
    });
  }
}

const endOf = (call: string) =>
  Object.entries(world.ends).find(([start]) => call.startsWith(start))?.[1] ?? 0;

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

function responseOf(
  action: string,
  { StackName, AlarmNames = [], TableName }: Record<string, string | string[]>,
) {
  switch (action) {
    case 'GetCallerIdentity':
      return { Account: '111122223333' };
    case 'DescribeStacks': {
      if (!world.outputs) throw new Error(`Stack with id ${StackName} does not exist`);
      const Outputs = Object.entries(world.outputs).map(([OutputKey, OutputValue]) => ({
        OutputKey,
        OutputValue,
      }));
      return { Stacks: [{ Outputs }] };
    }
    case 'DescribeAlarms':
      return {
        MetricAlarms: [AlarmNames].flat().map((AlarmName) => ({ AlarmName, StateValue: 'OK' })),
      };
    case 'DescribeTable': {
      if (TableName !== tableNames.pets) return { Table: {} };
      const IndexStatus = world.index.shift() ?? 'ACTIVE';
      return { Table: { GlobalSecondaryIndexes: [{ IndexName: 'byStatus', IndexStatus }] } };
    }
    default:
      throw new Error(`Nothing here responds to ${action}.`);
  }
}
