import { stages } from '../../../infra/stages.ts';
import { markdownTable } from '../markdownTable.ts';
import { assumptions, defaultQuotas, logBytesPerRequest } from './awsLimits.ts';
import {
  type Ceiling,
  createCeilings,
  type Deployment,
  frontDoorNames,
  type List,
  listCeilings,
  listMs,
  listUnits,
  type StageSettings,
} from './ceilings.ts';
import { costTables } from './costTables.ts';
import { logLogPlot } from './logLogPlot.ts';
import { monthlyCost } from './monthlyCost.ts';
import { settingsFor } from './settingsFor.ts';
import { simulateRequests } from './simulateRequests.ts';

const rates = [100, 1_000, 10_000, 100_000];

const production = stages.find(({ name }) => name === 'v1-production') as StageSettings;
const today: Deployment = { settings: production, quotas: defaultQuotas };
const deployments = rates.map((rate) => settingsFor(rate, production));

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Every table of the model, in Markdown. */
export function scalingReport(): string {
  return [
    '### What is the ceiling',
    ceilingTable(),
    '### What carries more',
    settingsTable(),
    '![Creates that are asked for and creates that are taken](scaling.svg)',
    '### What a list then costs',
    listTable(),
    '### What a month costs',
    ...costTables(rates, deployments),
    '### What the model takes for granted',
    markdownTable(['Assumption', 'Source'], assumptions),
  ].join('\n\n');
}

/** Creates taken over creates asked for, a line for each deployment. */
export function scalingPlot(): string {
  const asked = Array.from({ length: 41 }, (_, n) => 10 ** (1 + n / 8));
  return logLogPlot({
    title: 'Creates a second, all of one status (model)',
    xLabel: 'asked for',
    yLabel: 'taken',
    decades: [1, 6],
    lines: deployments.map((deployment) => ({
      label: describeSettings(deployment.settings),
      points: asked.map((rate) => [rate, takenOf(rate, deployment)] as const),
    })),
  });
}

function describeSettings({ shards, throttle }: StageSettings): string {
  return `${shards} shard${shards > 1 ? 's' : ''}, throttle ${whole.format(throttle.requestsPerSecond)}`;
}

/** What passes the gateway and Lambda is played against the partitions. */
function takenOf(createsPerSecond: number, deployment: Deployment): number {
  const { settings, quotas } = deployment;
  const front = createCeilings(deployment).filter(({ name }) => frontDoorNames.includes(name));
  const passed = Math.min(createsPerSecond, ...front.map((each) => each.requestsPerSecond));
  const tableUnits = {
    read: Math.min(settings.tableCeiling.readUnits, quotas.tableUnits),
    write: Math.min(settings.tableCeiling.writeUnits, quotas.tableUnits),
  };
  return simulateRequests({ settings, createsPerSecond: passed, tableUnits }).createsPerSecond;
}

function ceilingTable(): string {
  const ceilings = createCeilings(today);
  const rows = rates.map((rate) => {
    const reached = ceilings.filter(({ requestsPerSecond }) => requestsPerSecond <= rate);
    return [
      whole.format(rate),
      whole.format(takenOf(rate, today)),
      reached.map(describe).join('; ') || 'none',
    ];
  });
  return `With production's settings and the quotas of a new account:\n\n${markdownTable(
    ['Creates a second', 'Taken', 'Ceilings that are reached, lowest first'],
    rows,
  )}`;
}

function settingsTable(): string {
  const rows = deployments.map((deployment, index) => {
    const { settings, quotas } = deployment;
    const rate = rates[index] as number;
    const [lowest] = createCeilings(deployment) as [Ceiling];
    const numbers = [
      rate,
      settings.shards,
      settings.idsPerLease,
      settings.throttle.requestsPerSecond,
      settings.tableCeiling.readUnits,
      settings.tableCeiling.writeUnits,
      quotas.tableUnits,
      quotas.gatewayRequests,
      quotas.lambdaConcurrency,
      takenOf(rate, deployment),
    ];
    return [...numbers.map((number) => whole.format(number)), describe(lowest)];
  });
  return `Settings of \`infra/stages.ts\`, then quotas of the account:\n\n${markdownTable(
    [
      'Creates a second',
      '`shards`',
      '`idsPerLease`',
      '`throttle`',
      'Ceiling: reads',
      'Writes',
      'Table quota',
      'API Gateway',
      'Lambda concurrency',
      'Taken',
      'Next ceiling',
    ],
    rows,
  )}`;
}

const lists: readonly [string, List][] = [
  ['one status, 20', { status: 'available', limit: 20 }],
  ['one status, 100', { status: 'available', limit: 100 }],
  ['all, 20', { limit: 20 }],
  ['all, 100', { limit: 100 }],
];

function listTable(): string {
  const rows = deployments.flatMap((deployment) =>
    lists.map(([name, list]) => {
      const { settings } = deployment;
      const queries = settings.shards * (list.status ? 1 : 3);
      const [lowest] = listCeilings(list, deployment) as [Ceiling];
      return [
        whole.format(settings.shards),
        name,
        whole.format(queries),
        short.format(listUnits(list, settings)),
        short.format(listMs(queries)),
        describe(lowest),
        millionCost(list, settings),
      ];
    }),
  );
  return markdownTable(
    [
      '`shards`',
      'List, `limit`',
      'Queries',
      'Read units',
      'Time in ms',
      'Ceiling, lists a second',
      'A million',
    ],
    rows,
  );
}

/** At the prices of the first tiers. */
function millionCost(list: List, settings: StageSettings): string {
  const requests = 1_000_000;
  const { total } = monthlyCost({
    requests,
    memoryMb: settings.memoryMb,
    logBytesPerRequest,
    durationMs: listMs(settings.shards * (list.status ? 1 : 3)),
    readUnits: requests * listUnits(list, settings),
    writeUnits: 0,
  });
  return `$${total.toFixed(2)}`;
}

function describe({ name, requestsPerSecond }: Ceiling): string {
  return `${name}, ${whole.format(requestsPerSecond)}`;
}
