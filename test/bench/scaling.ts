import { type Stage, stages } from '../../infra/stages.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { cents, costTables, listUse, monthlyCost } from './cost/costs.ts';
import { markdownTable, whole, writeSection } from './report.ts';
import {
  type Ceiling,
  createCeilings,
  type Deployment,
  defaultQuotas,
  deploymentFor,
  type List,
  listCeilings,
  listMs,
  listQueries,
  listUnits,
} from './scaling/ceilings.ts';

const rates = [100, 1_000, 10_000, 100_000];

const production = stages.find(({ name }) => name === 'v1-production') as Stage;
const today: Deployment = { settings: production, quotas: defaultQuotas };
const deployments = rates.map((rate) => deploymentFor(rate, production));

const short = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Every table of the model, in Markdown. */
export function scalingReport(): string {
  return [
    '### What limits production today',
    "Production's settings, with AWS's default quotas. A new account may run only 10 functions at once: `npm run preflight` tells.",
    todayTable(),
    '### Settings for higher rates',
    'Settings of `infra/stages.ts`, then quotas of the account:',
    settingsTable(),
    '### What lists then cost',
    listTable(),
    '### What a month costs',
    ...costTables(rates, deployments),
  ].join('\n\n');
}

/** The lowest ceiling decides. */
function acceptedRate(createsPerSecond: number, deployment: Deployment): number {
  return Math.min(createsPerSecond, lowestCeiling(deployment).requestsPerSecond);
}

function lowestCeiling(deployment: Deployment): Ceiling {
  return createCeilings(deployment)[0] as Ceiling;
}

function todayTable(): string {
  const rows = rates.map((rate) => {
    const reached = createCeilings(today).filter((each) => each.requestsPerSecond <= rate);
    return [
      whole.format(rate),
      whole.format(acceptedRate(rate, today)),
      reached.map(describe).join('; ') || 'none',
    ];
  });
  return markdownTable(['Creates a second', 'Accepted', 'Ceilings reached, lowest first'], rows);
}

function settingsTable(): string {
  const columns = [
    'Creates a second',
    '`shards`',
    '`idsPerLease`',
    '`throttle`',
    'Ceiling: reads',
    'Writes',
    'Table quota',
    'API Gateway',
    'Lambda concurrency',
    'Accepted',
    'Next ceiling',
  ];
  const rows = deployments.map((deployment, index) => {
    const { settings, quotas } = deployment;
    const rate = rates[index] ?? 0;
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
      acceptedRate(rate, deployment),
    ];
    return [...numbers.map((number) => whole.format(number)), describe(lowestCeiling(deployment))];
  });
  return markdownTable(columns, rows);
}

const lists: readonly [string, List][] = [
  ['one status, 20', { status: 'available', limit: 20 }],
  ['one status, 100', { status: 'available', limit: 100 }],
  ['all, 20', { limit: 20 }],
  ['all, 100', { limit: 100 }],
];

function listTable(): string {
  const columns = [
    '`shards`',
    'List, `limit`',
    'Queries',
    'Read units',
    'Time in ms',
    'Ceiling, lists a second',
    'A million',
  ];
  const rows = deployments.flatMap((deployment) =>
    lists.map(([name, list]) => {
      const { settings } = deployment;
      const [lowest] = listCeilings(list, deployment) as [Ceiling];
      return [
        whole.format(settings.shards),
        name,
        whole.format(listQueries(list, settings)),
        short.format(listUnits(list, settings)),
        short.format(listMs(list, settings)),
        describe(lowest),
        // At the prices of the first tiers.
        cents(monthlyCost(listUse(1_000_000, settings, list))),
      ];
    }),
  );
  return markdownTable(columns, rows);
}

function describe({ name, requestsPerSecond }: Ceiling): string {
  return `${name}, ${whole.format(requestsPerSecond)}`;
}

export const scaling = defineCommand(
  'bench:scaling',
  'Calculates limits and costs for higher rates.',
)
  .option('--write', 'update docs/scaling.md')
  .action(({ write }) => {
    const report = scalingReport();
    print(report);
    if (write) writeSection('docs/scaling.md', 'model', report);
  });

if (import.meta.main) await runCommand(scaling);
