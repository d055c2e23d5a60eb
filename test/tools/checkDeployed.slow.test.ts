import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isRestorable } from '../../infra/core/ServiceTable.ts';
import { tablesStackName } from '../../infra/core/stackNames.ts';
import { settingsOf } from '../../infra/stages.ts';
import { type TableDefinition, type TableName, tableName, tables } from '../../lib/tables.ts';
import { describeStage } from '../../tools/describeStage.ts';
import { bareStage, durableName } from '../helpers/bareStage.ts';
import { fullProductionStage } from '../helpers/fullStacks.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const run = promisify(execFile);
const script = 'tools/checkDeployed.sh';

/** A result of the script: what it is, a call that only this result needs, its right output, and a near miss. */
type Result = [what: string, call: string, right: string, nearMiss: string];

const preflight = (origin: string) =>
  `HTTP/2 204 \r\nage: 1\r\naccess-control-allow-origin: ${origin}\r\n\r`;

const requests: Result[] = [
  ['a body of 7 MB', 'curl*--write-out*--data-binary*', '413', '4131'],
  [
    'a body that is not UTF-8',
    'curl*--config*',
    '{"code":"bad_request","message":"The body must be JSON in UTF-8.","status":400}',
    '{"code":"bad_request","message":"The body must be shorter.","status":400}',
  ],
  [
    'a preflight from https://app.example.com',
    'curl*OPTIONS*',
    preflight('https://app.example.com'),
    preflight('https://app.example.co'),
  ],
];
const firewalled: Result[] = [['more than 200 headers', 'curl*X-205:*', '429', '431']];
const accessLog: Result[] = [
  [
    'requests of the last hour with a 5xx',
    '*get-query-results*results*',
    'Complete',
    'Complete count(*)=5',
  ],
  ['requests of the last hour with a 5xx', '*AWS::Logs::LogGroup*', 'PetStore-AccessLog', ''],
];
const monitoring: Result[] = [
  ['alarms without data, except those on DynamoDB', '*--state-value*', '0', '1'],
  [
    'metrics of the access log',
    '*--namespace?PetStore/*',
    'FailedRequests RefusedRequests ValidRequests',
    'FailedRequests ValidRequests',
  ],
  ['confirmed subscriptions of each topic', '*get-topic-attributes*', '1', '0'],
  ['confirmed subscriptions of each topic', '*AWS::SNS::Topic*', 'arn:1 arn:2', 'arn:1'],
];

const template = readFileSync(`infra/templates/${tablesStackName(durableName)}.json`, 'utf8');

/** The ceilings of every table and index. */
const [readUnits, writeUnits] = ['Read', 'Write'].map(
  (kind) => RegExp(`"Max${kind}RequestUnits": (\\d+)`).exec(template)?.[1],
);

/** What the definition of a table says of it. */
function resultsOf(name: TableName): Result[] {
  const stage = settingsOf(durableName);
  const definition: TableDefinition = tables[name];
  const { indexes, timeToLiveAttribute: attribute } = definition;
  const ceilings = Array(1 + Object.keys(indexes).length).fill(`${readUnits}\t${writeUnits}`);
  const [on, off] = ['ENABLED', 'DISABLED'];
  const table = tableName(durableName, name);
  const what = `the table ${table}`;
  return [
    [what, `*${table}?*DeletionProtection*`, 'True', 'False'],
    [what, `*${table}?*Throughput*`, ceilings.join('\n'), ceilings.join('\n').replace(/\d$/, '')],
    isRestorable(definition, stage)
      ? [what, `*continuous-backups*${table}?*`, on, off]
      : [what, `*continuous-backups*${table}?*`, off, on],
    attribute
      ? [what, `*time-to-live*${table}?*`, `${on} ${attribute}`, `${off} None`]
      : [what, `*time-to-live*${table}?*`, `${off} None`, `${on} expiresAt`],
  ];
}

const tableResults = (Object.keys(tables) as TableName[]).sort().flatMap(resultsOf);
const everything = [...requests, ...firewalled, ...accessLog, ...tableResults, ...monitoring];

/** The faults of each line, by what it says. */
const faultsByLine = Map.groupBy(everything, ([what]) => what);
const rounds = Array.from(
  { length: Math.max(...[...faultsByLine.values()].map((faults) => faults.length)) },
  (_, round) => [...faultsByLine.values()].map((faults) => faults[round % faults.length] as Result),
);

/** Settings with everything that the script checks, and durable ones without recipient of alarms. */
const full = describeStage({ ...fullProductionStage, name: durableName });
const unheard = describeStage({ ...bareStage(durableName), firewall: undefined });

type Answer = [call: string, commands: string];
const print = (call: string, text: string): Answer => [call, `printf '%s\n' '${text}'`];

/** Runs the script with programs that give the first answer that fits a call. */
async function check(args: string[], answers: Answer[] = [], settings = full) {
  const folder = await temporaryFolder();
  const program = `#!/usr/bin/env bash
call="\${0##*/} $*"
[[ $call != curl* || $1 = -q ]] || exit 2
[[ $call != curl*--data-binary* ]] || cat >/dev/null
case $call in
${[
  ...answers,
  ...everything.map(([, call, right]) => print(call, right)),
  [
    'npx*describeStage*',
    settings ? `cat <<'END'\n${settings}END\n` : 'shift && exec node "$@"',
  ] as Answer,
  print('npx*', 'eu-west-1'),
  ['*--log-group-names?--query-string*', 'exit 252'] as Answer,
  print('*get-query-results*', 'Complete'),
  print('*OutputKey*', 'https://api.example.com/v1'),
  print('*', 'any'),
]
  .map(([call, commands]) => `${call}) ${commands} ;;`)
  .join('\n')}
esac`;
  for (const name of ['aws', 'curl', 'npx']) {
    writeFileSync(join(folder, name), program, { mode: 0o755 });
  }
  const PATH = [folder, dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { PATH, PETSTORE_API_KEY: 'ps_key' };
  // A script that fails rejects with an error that has its outputs too.
  const ended: { code?: number; stdout: string; stderr: string } = await run(script, args, {
    env,
  }).catch((error) => error);
  const { code: status = 0, stdout, stderr } = ended;
  return { status, lines: stdout.trim().split('\n'), stderr };
}

const linesOf = (results: Result[], verdict: string) =>
  [...new Set(results.map(([what]) => what))].map((what) =>
    expect.stringMatching(RegExp(`^${verdict} +${what}.*: `)),
  );

describe.concurrent('npm run check:deployed', () => {
  it('exits with 0 and prints what it found, if everything is as settings and template say', async () => {
    const { status, lines } = await check([durableName]);

    expect(lines).toEqual(linesOf(everything, 'ok'));
    expect(status).toBe(0);
  });

  it('expects no subscription if the settings name no recipient', async () => {
    const { status, lines } = await check(
      [durableName],
      [print('*AWS::SNS::Topic*', 'arn:1'), print('*get-topic-attributes*', '0')],
      unheard,
    );

    expect(lines.at(-1)).toBe('ok     confirmed subscriptions of each topic: 0');
    expect(status).toBe(0);
  });

  it('compares only the requests of a sandbox, and says so', async () => {
    const { status, lines } = await check(['v1-alice'], [], '');

    expect(lines).toEqual([
      expect.stringMatching(/^ok {5}a body of 7 MB: /),
      expect.stringMatching(/^ok {5}a body that is not UTF-8: /),
      'The tables of a sandbox are not compared, because infra/templates has none of them.',
    ]);
    expect(status).toBe(0);
  });

  it('accepts a count of 0 requests with a 5xx', async () => {
    const { status } = await check(
      [durableName],
      [print('*get-query-results*results*', 'Complete\ncount(*)=0')],
    );

    expect(status).toBe(0);
  });

  it('expects only what this test tries', () => {
    expect(readFileSync(script, 'utf8').match(/^ *expect ['"]/gm)).toHaveLength(
      // One line of the script expects all tables.
      faultsByLine.size - Object.keys(tables).length + 1,
    );
  });

  it.each(rounds.map((faults, round) => ({ round, faults })))(
    'exits with 1 and says for each line what it expected, given near misses ($round)',
    async ({ faults }) => {
      const wrong = faults.map(([, call, , nearMiss]) => print(call, nearMiss));

      const { status, lines } = await check([durableName], wrong);

      expect(lines).toEqual(linesOf(everything, 'WRONG'));
      expect(status).toBe(1);
    },
  );

  it.each(rounds.map((faults, round) => ({ round, faults })))(
    'exits with 1 and says for each line what it expected, if programs fail and print nothing ($round)',
    async ({ faults }) => {
      const wrong = faults.map(([, call]): Answer => [call, 'exit 254']);

      const { status, lines } = await check([durableName], wrong);

      expect(lines).toEqual(linesOf(everything, 'WRONG'));
      expect(status).toBe(1);
    },
  );

  it('exits with 1 and checks nothing, if AWS does not tell the base address', async () => {
    const { status, lines, stderr } = await check([durableName], [['*OutputKey*', 'exit 254']]);

    expect({ status, lines }).toEqual({ status: 1, lines: [''] });
    expect(stderr).toContain('BASE_URL: is unknown');
  });

  it.each(['', '--help', '-x'])(
    'calls nothing and says how to use it, with "%s"',
    async (argument) => {
      const { status, lines, stderr } = await check([argument]);

      expect(lines.join('') + stderr).toContain('npm run check:deployed -- <stage>');
      expect(status).toBe(argument === '--help' ? 0 : 2);
    },
  );
});
