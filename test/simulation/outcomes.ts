import { type Reply, refusal } from './DynamoDbModel.ts';
import type { Call, Instance } from './Instance.ts';
import type { Choice, World } from './World.ts';

type Fault = {
  label: string;
  /**
   * A read that fails in this way is the same as a read that comes later. An instance that dies forgets
   * what it knew, so it makes no difference where it dies before its next write.
   */
  isForWritesOnly?: boolean;
  apply(world: World, instance: Instance, call: Call): unknown;
};

const responds = (reply: Reply) => (_world: World, instance: Instance, call: Call) =>
  instance.deliver(call, reply);

const serverError = refusal('InternalServerError', 500);

const connectionReset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** The faults of a call. */
const callFaults = {
  'response lost': {
    label: 'the response is lost',
    isForWritesOnly: true,
    apply(world, instance, call) {
      world.execute(call);
      return instance.deliver(call, connectionReset());
    },
  },
  'response late': {
    label: 'the response is late',
    apply(world, _instance, call) {
      call.reply = world.execute(call);
    },
  },
  'effect late': {
    label: 'it times out and takes effect later',
    isForWritesOnly: true,
    apply(world, instance, call) {
      world.postpone(call);
      return instance.deliver(call, connectionReset());
    },
  },
  throttled: {
    label: 'it is throttled',
    apply: responds(refusal('ProvisionedThroughputExceededException')),
  },
  '500 before': { label: 'DynamoDB fails before the effect', apply: responds(serverError) },
  '500 after': {
    label: 'DynamoDB fails after the effect',
    apply(world, instance, call) {
      world.execute(call);
      return instance.deliver(call, serverError);
    },
  },
  crash: {
    label: 'the instance dies after',
    isForWritesOnly: true,
    apply(world, instance, call) {
      world.execute(call);
      world.crash(instance);
    },
  },
  'crash, effect late': {
    label: 'the instance dies, and it takes effect later',
    isForWritesOnly: true,
    apply(world, instance, call) {
      world.postpone(call);
      world.crash(instance);
    },
  },
} satisfies Record<string, Fault>;

/** `out of time` happens to a request, every other fault to a call. */
export type FaultKind = keyof typeof callFaults | 'out of time';

export const everyFault = [...Object.keys(callFaults), 'out of time'] as FaultKind[];

/** Every way in which a call can go on. The first one is the usual one. */
export function outcomesOf(world: World, instance: Instance, call: Call): Choice[] {
  const what = `${instance.name} ${describeCall(call)}`;
  const { reply } = call;
  if (reply) {
    const run = () => instance.deliver(call, reply);
    return [{ label: `the response arrives: ${what}`, run }];
  }
  const respond = (label: string, freedom = {}) => ({
    label: `${what}${label}`,
    run: () => instance.deliver(call, world.execute(call, freedom)),
  });
  const canBeCut = call.action === 'Query' && world.scope.canPagesBeCut;
  return [
    respond(''),
    ...(isWeakRead(call) ? [respond(', as it was before', { isStale: true })] : []),
    ...(canBeCut ? [respond(', cut after one item', { pageSize: 1 })] : []),
    ...failures(world, instance, call),
  ];
}

function failures(world: World, instance: Instance, call: Call): Choice[] {
  const { kinds = [], instances = [instance.name] } = world.scope.faults ?? {};
  if (!canFail(world) || !instances.includes(instance.name)) return [];
  const isWrite = call.action === 'PutItem' || call.action === 'UpdateItem';
  return kinds
    .flatMap((kind): Fault[] => (kind === 'out of time' ? [] : [callFaults[kind]]))
    .filter(({ isForWritesOnly }) => isWrite || !isForWritesOnly)
    .map(({ label, apply }) => ({
      label: `${label}: ${instance.name} ${describeCall(call)}`,
      run: () => {
        world.faultsUsed += 1;
        return apply(world, instance, call);
      },
    }));
}

/** The requests whose time may run out. */
export function deadlinesOf(world: World, instance: Instance): Choice[] {
  if (!world.scope.faults?.kinds.includes('out of time') || !canFail(world)) return [];
  const open = instance.attempts.filter(({ hasDeadline }) => hasDeadline);
  return open.map((attempt) => ({
    label: `${attempt.client.name} runs out of time`,
    run: () => {
      world.faultsUsed += 1;
      return instance.runOutOfTime(attempt);
    },
  }));
}

function canFail({ scope, faultsUsed }: World): boolean {
  return faultsUsed < (scope.faults?.max ?? 0);
}

export function isWeakRead({ action, input }: Call): boolean {
  return action === 'GetItem' && !input.ConsistentRead;
}

/** For traces: `puts PET#1`. */
export function describeCall({ action, input }: Call): string {
  const item = input.Key ?? input.Item ?? input.ExpressionAttributeValues ?? {};
  const [key] = Object.values(item);
  const verb = { GetItem: 'reads', PutItem: 'puts', UpdateItem: 'updates', Query: 'queries' };
  return `${verb[action as keyof typeof verb]} ${input.TableName} ${key?.S ?? key?.N}`;
}
