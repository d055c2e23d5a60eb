import { errorReply, type Reply } from './DynamoDbModel.ts';

/** A call of DynamoDB, and what can happen to it. */
type Call = {
  apply(): Reply;
  /** Resolves at any later time. */
  later(): Promise<void>;
  /** The function runs out of time: its requests end with 503, and DynamoDB still gets the call. */
  runOutOfTime(): void;
  /** Ends the instance. Its code waits for ever. */
  die(): Promise<Reply>;
};

function lose(): never {
  throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

/** Everything that can go wrong with a call. */
export const faults = {
  'the instance dies before it': async ({ die }) => die(),
  async 'the instance dies after it'({ apply, die }) {
    apply();
    return die();
  },
  async 'the instance dies and it takes effect later'({ apply, later, die }) {
    later().then(apply);
    return die();
  },
  async 'its function runs out of time'({ apply, runOutOfTime }) {
    runOutOfTime();
    return apply();
  },
  async 'its response is lost'({ apply }) {
    apply();
    return lose();
  },
  async 'its response is late'({ apply, later }) {
    const reply = apply();
    await later();
    return reply;
  },
  async 'it takes effect after its time-out'({ apply, later }) {
    later().then(apply);
    return lose();
  },
  'it is throttled': async () => errorReply(400, 'ProvisionedThroughputExceededException'),
  'DynamoDB fails before it': async () => errorReply(500, 'InternalServerError'),
  async 'DynamoDB fails after it'({ apply }) {
    apply();
    return errorReply(500, 'InternalServerError');
  },
} satisfies Record<string, (call: Call) => Promise<Reply>>;

export type FaultKind = keyof typeof faults;

export const faultKinds = Object.keys(faults) as FaultKind[];
