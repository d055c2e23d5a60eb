import { markdownTable } from '../report.ts';
import { requestMs } from '../scaling/ceilings.ts';
import { cents, gbSecondsOf, type MonthlyUse, ownCost } from './costs.ts';
import { priceOf } from './prices.ts';
import { timesOf } from './requestTimes.ts';

type Saving = {
  what: string;
  /** How much more a million creates would cost without it. */
  saved: (use: MonthlyUse) => number;
  givesUp: string;
};

/** The fields that the access log left out. */
const accessLogBytesLeftOut =
  '"requestedAtEpochMs":"1795334539553","integrationStatus":"200","wafResponse":"WAF_ALLOW",'
    .length;

/** The text that `Requests` and `PetsCreated` added to a line. */
const metricsLeftOut =
  '"_aws":{"Timestamp":1795334539575,"CloudWatchMetrics":[{"Namespace":"PetStore","Dimensions":[["service","stage","operation"]],"Metrics":[{"Name":"PetsCreated","Unit":"Count"},{"Name":"Requests","Unit":"Count"}]}]},"Requests":1,';

const gb = ({ requests }: MonthlyUse, bytes: number) => (requests * bytes) / 1e9;

const savings: readonly Saving[] = [
  {
    what: 'no metrics of what succeeds: `Requests`, `PetsCreated`',
    saved: (use) =>
      ownCost({
        ...use,
        metrics: use.metrics + 2,
        functionLogBytes: use.functionLogBytes + metricsLeftOut.length,
      }) - ownCost(use),
    givesUp:
      'alarms on these two; `Invocations` of Lambda counts the requests of an operation for nothing, and `petsCreated` is in the log line. With a `LOG_LEVEL` above `INFO`, requests that succeed have no line',
  },
  {
    what: '`memoryMb` of 512 instead of 1,024',
    saved: (use) => {
      const memoryMb = 1_024;
      const { initMs } = timesOf('createPet', memoryMb);
      const durationMs = requestMs('createPet', { memoryMb });
      return ownCost({ ...use, memoryMb, initMs, durationMs }) - ownCost(use);
    },
    givesUp: 'some milliseconds of each request, see docs/performance.md',
  },
  {
    what: '`arm64` instead of x86',
    saved: (use) =>
      priceOf('x86GbSecond', gbSecondsOf(use)) - priceOf('lambdaGbSecond', gbSecondsOf(use)),
    givesUp: 'native modules for x86 (the bundles have none)',
  },
  {
    what: 'the access log in the class Infrequent Access',
    saved: (use) => {
      const quantity = gb(use, use.accessLogBytes);
      return priceOf('logGb', quantity) - priceOf('infrequentLogGb', quantity);
    },
    givesUp:
      'Live Tail, `aws logs tail`, metric filters and subscriptions on this log; Logs Insights stays',
  },
  {
    what: 'no field twice in the access log: `requestedAtEpochMs`, `integrationStatus`, `wafResponse`',
    saved: (use) => priceOf('infrequentLogGb', gb(use, accessLogBytesLeftOut)),
    givesUp:
      'the exact start of a request (`@timestamp` has it to within the latency); `status` and `gatewayResponse` tell the rest',
  },
  {
    what: 'X-Ray traces the `tracedShare` of the stage instead of 1 %',
    saved: (use) => ownCost({ ...use, tracedShare: 0.01 }) - ownCost(use),
    givesUp: 'nine of ten traces; the logs have the duration of every request',
  },
];

/** The amount that each saving takes off a million creates, and its disadvantages. */
export function savingsTable(use: MonthlyUse): string {
  const rows = savings.map(({ what, saved, givesUp }) => [what, cents(saved(use)), givesUp]);
  return markdownTable(['Saving', 'A million', 'Gives up'], rows);
}
