import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stackName } from '../infra/core/stackNames.ts';
import { operationEntries } from '../lib/operations.ts';
import { call, loadHandler } from './helpers/api.ts';
import { durableName } from './helpers/bareStage.ts';
import { captureLog } from './helpers/captureLog.ts';
import {
  dynamoDbError,
  emptyTables,
  interceptDatabase,
  storeItem,
  takeIds,
} from './helpers/database.ts';
import { exampleRequest, preparationsOf } from './helpers/exampleRequests.ts';
import { minimalPet, rex, rexFilter, storedPet } from './helpers/samplePets.ts';

const queries = ['docs/runbook.md', 'docs/deployment.md'].flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/query_logs ["'].*/g)].map(([call]) => {
    const [, logs = '', , query = ''] =
      /(ACCESS|FUNCTIONS).*?" (["'])(.*)\2/.exec(call) ?? expect.fail(`${file}: ${call}`);
    return { logs, query };
  }),
);

/** CloudWatch adds these to each line. */
const addedFields = ['@timestamp', '@message', '@log', '@logStream'];
/** The documented form of Lambda's own lines, such as `platform.report`. */
const platformFields = ['type', 'record.status', 'record.metrics.maxMemoryUsedMB'];

const known: Record<string, string[]> = {
  ACCESS: [...accessLogFields(), ...addedFields],
  FUNCTIONS: [...(await functionLogFields()), ...platformFields, ...addedFields],
};

it.each(queries)(
  'a query of $logs asks only for fields that a line has: $query',
  ({ logs, query }) => {
    const unknown = fieldsOf(query).filter((field) => !known[logs]?.includes(field));

    expect(unknown, `fields that no line of ${logs} has in this test`).toEqual([]);
  },
);

/** The fields that a query of CloudWatch Logs Insights reads. */
function fieldsOf(query: string): string[] {
  const code = query.replaceAll(/'[^']*'|"[^"]*"|\/(?:[^/\\]|\\.)*\//g, '');
  const results = [...code.matchAll(/\bas (\w+)/g)].map(([, name]) => name);
  const words = /^(filter|stats|sort|limit|fields|by|as|and|or|not|like|in|asc|desc)$/;
  // A name before a parenthesis is a function.
  return [...code.matchAll(/(?<![\w.@])@?[a-z_][\w.]*\b(?!\()/gi)]
    .map(([name]) => name)
    .filter((name) => !words.test(name) && !results.includes(name));
}

function accessLogFields(): string[] {
  const template = readFileSync(`infra/templates/${stackName(durableName)}.json`, 'utf8');
  const stages = Object.values<{ Type: string; Properties: { AccessLogSetting: Setting } }>(
    JSON.parse(template).Resources,
  ).filter(({ Type }) => Type === 'AWS::ApiGateway::Stage');
  return stages.flatMap(({ Properties }) =>
    Object.keys(JSON.parse(Properties.AccessLogSetting.Format)),
  );
}
type Setting = { Format: string };

/** The fields of the lines that the functions log for their examples, damaged data and a fault of DynamoDB. */
async function functionLogFields(): Promise<string[]> {
  const settings = { LOG_LEVEL: 'INFO', RELEASE: '8bab64c', AWS_LAMBDA_FUNCTION_VERSION: '7' };
  const listPets = await loadHandler('listPets', settings);
  const createPet = await loadHandler('createPet', settings);
  const log = captureLog();
  for (const [name] of operationEntries) {
    await emptyTables();
    for (const each of [...preparationsOf(name), name]) {
      await call(await loadHandler(each, settings), exampleRequest(each));
    }
  }
  await takeIds(2);
  const [field = ''] = Object.keys(minimalPet);
  await storeItem(storedPet(9n, { [field]: {} }));
  await call(createPet, { body: rex });
  await call(listPets, { query: rexFilter });
  interceptDatabase(() => Promise.reject(dynamoDbError('InternalServerError', 500)));
  await call(createPet, { body: rex });
  return log.lines().flatMap((line) => pathsOf(line));
}

/** Every member of a value, as CloudWatch names it: `cause.message`. */
function pathsOf(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${prefix}${name}`,
    ...pathsOf(member, `${prefix}${name}.`),
  ]);
}
