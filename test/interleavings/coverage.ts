import type { Call } from './DynamoDbModel.ts';
import type { FaultKind } from './faults.ts';
import { dayMs, type Simulation } from './Simulation.ts';

/** What a run can reach, apart from its faults. */
const points = {
  'an id is taken': hasCall('PutItem item 400', (call) => !isOwn(call)),
  'an attempt finds its own pet': hasCall('PutItem item 400', isOwn),
  'an expired record is replaced': hasCall(
    'PutItem record 200',
    (call) => call.stored !== undefined && !isOwn(call),
  ),
  'a record gets another id': hasCall('PutItem record 200', isOwn),
  'a record disappears before it gets another id': ({ database: { calls } }) =>
    calls.some(
      (call, n) =>
        kindOf(call) === 'PutItem record 200' &&
        call.stored === undefined &&
        calls.slice(0, n).some(({ stored }) => stored?.token?.S === call.input.Item?.token?.S),
    ),
  'two requests change the id of a record': hasCall(
    'PutItem record 400',
    (call) => isOwn(call) && call.stored?.resourceId?.N !== call.input.Item?.resourceId?.N,
  ),
  'a retry finishes the pet of another request': ({ database }) => {
    const tokens = new Set<string | undefined>();
    return database.calls.some((call) => {
      if (kindOf(call) === 'PutItem record 400') tokens.add(call.stored?.token?.S);
      return kindOf(call) === 'PutItem item 200' && tokens.has(call.input.Item?.token?.S);
    });
  },
  'a retry gets the same pet': ({ exchanges }) => exchanges.some(({ isReplayed }) => isReplayed),
  'a retry gets the same pet 24 hours later': ({ exchanges }) => {
    const { body, receivedAtMs = 0 } = exchanges.find(({ status }) => status === 201) ?? {};
    return exchanges.some(
      (one) => one.isReplayed && one.body === body && one.sentAtMs >= receivedAtMs + dayMs,
    );
  },
  'another body gets 422': ({ exchanges }) => exchanges.some(({ status }) => status === 422),
} satisfies Record<string, (simulation: Simulation) => boolean>;

export type Point = keyof typeof points | FaultKind;

/** Returns the points that a run reached, and its faults. */
export function coverageOf(simulation: Simulation): Set<Point> {
  const names = Object.keys(points) as (keyof typeof points)[];
  return new Set([...names.filter((name) => points[name](simulation)), ...simulation.injected]);
}

function hasCall(kind: string, isPoint: (call: Call) => boolean) {
  return ({ database }: Simulation) =>
    database.calls.some((call) => kindOf(call) === kind && isPoint(call));
}

/** A record is that of an Idempotency-Key. A call with the status 400 failed its condition. */
function kindOf({ action, input, reply }: Call): string {
  const subject = input.TableName === 'idempotency' ? 'record' : 'item';
  return `${action} ${subject} ${reply.status}`;
}

function isOwn({ stored, input }: Call): boolean {
  return stored?.token?.S === input.Item?.token?.S;
}
