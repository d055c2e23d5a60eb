import { type Stage, stages } from '../../infra/stages.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { markdownTable, writeSection } from './report.ts';
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
  type StageSettings,
} from './scaling/ceilings.ts';
import { costTables, millionTable, monthlyCost, requestBytes } from './scaling/costs.ts';
import { priceSource } from './scaling/prices.ts';

const rates = [100, 1_000, 10_000, 100_000];

const production = stages.find(({ name }) => name === 'v1-production') as Stage;
const today: Deployment = { settings: production, quotas: defaultQuotas };
const deployments = rates.map((rate) => deploymentFor(rate, production));

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
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

/** The costs of docs/operations.md, in Markdown. */
export async function costReport(): Promise<string> {
  // Imported on demand: it synthesises the templates, which --help does not need.
  const { idleMonths, worstDayTable } = await import('./scaling/dailyWorstCase.ts');
  return [
    `The prices are ${priceSource}. Check those of your Region.`,
    'A million requests to production, of 20 ms each (assumed); a list returns 20 pets:',
    millionTable(production),
    'The worst day, with every setting at its limit under an attack of 10,000 further requests a second (assumed), which the throttle or the firewall refuses:',
    worstDayTable(stages),
    `A month without requests costs, except for stored data: ${idleMonths(stages)}.`,
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
        costOfAMillion(list, settings),
      ];
    }),
  );
  return markdownTable(columns, rows);
}

/** At the prices of the first tiers. */
function costOfAMillion(list: List, settings: StageSettings): string {
  const requests = 1_000_000;
  const dollars = monthlyCost({
    requests,
    memoryMb: settings.memoryMb,
    durationMs: listMs(list, settings),
    readUnits: requests * listUnits(list, settings),
    writeUnits: 0,
    ...requestBytes('listPets', list.limit),
  });
  return `$${dollars.toFixed(2)}`;
}

function describe({ name, requestsPerSecond }: Ceiling): string {
  return `${name}, ${whole.format(requestsPerSecond)}`;
}

export const scaling = defineCommand('bench:scaling')
  .option('--write', 'update docs/scaling.md and the costs of docs/operations.md')
  .action(async ({ write }) => {
    const report = scalingReport();
    const costs = await costReport();
    print(`${report}\n\n${costs}`);
    if (write) {
      writeSection('docs/scaling.md', 'model', report);
      writeSection('docs/operations.md', 'costs', costs);
    }
  });

if (import.meta.main) await runCommand(scaling);
