import { type Reply, refusal } from './DynamoDbModel.ts';

/** A call of DynamoDB, and what can happen to it. */
type Call = {
  apply(): Reply;
  /** Resolves at any later time. */
  later(): Promise<void>;
  /** Notes that the SDK gets no usable response. */
  fail(): void;
  /** The client stops waiting. The instance goes on. */
  giveUp(): void;
  /** Ends the instance. */
  die(): void;
};

/** The code waits for ever, because its instance is dead. */
export const never = () => new Promise<Reply>(() => {});

function lose({ fail }: Call): never {
  fail();
  throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

function refuse({ fail }: Call, name: string, status?: number): Reply {
  fail();
  return refusal(name, status);
}

const throttling = 'ProvisionedThroughputExceededException';

/** Everything that can go wrong with a call. */
export const faults = {
  async 'the instance dies before it'({ die }) {
    die();
    return never();
  },
  async 'the instance dies after it'({ apply, die }) {
    apply();
    die();
    return never();
  },
  async 'the instance dies and it takes effect later'({ apply, later, die }) {
    die();
    later().then(apply);
    return never();
  },
  async 'the client gives up'({ apply, giveUp }) {
    giveUp();
    return apply();
  },
  async 'its response is lost'(call) {
    call.apply();
    return lose(call);
  },
  async 'its response is late'({ apply, later }) {
    const reply = apply();
    await later();
    return reply;
  },
  async 'it takes effect after its time-out'(call) {
    call.later().then(call.apply);
    return lose(call);
  },
  'it is throttled': async (call) => refuse(call, throttling),
  'DynamoDB fails before it': async (call) => refuse(call, 'InternalServerError', 500),
  async 'DynamoDB fails after it'(call) {
    call.apply();
    return refuse(call, 'InternalServerError', 500);
  },
} satisfies Record<string, (call: Call) => Promise<Reply>>;

export type FaultKind = keyof typeof faults;

export const faultKinds = Object.keys(faults) as FaultKind[];
