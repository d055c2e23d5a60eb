import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { call, loadHandler } from './helpers/api.ts';
import { captureLog } from './helpers/captureLog.ts';
import { storeItem, takeIds } from './helpers/database.ts';
import { rex } from './helpers/samplePets.ts';

/** The words of the query language, and `n`, which queries give to a count. */
const words =
  /^(as|asc|bin|by|count|desc|fields|filter|in|ispresent|like|limit|max|min|n|or|and|pct|sort|stats)$/;

type Resource = { Type: string; Properties: { AccessLogSetting: { Format: string } } };

/** The fields in the queries of docs/runbook.md on a log. CloudWatch adds those with an `@`, and Lambda `record.status`. */
function queriedFields(log: string): string[] {
  const queries = readFileSync('docs/runbook.md', 'utf8').matchAll(
    RegExp(`query_logs "\\$${log}" "(.*?)"`, 'g'),
  );
  const texts = [...queries].map(([, query = '']) => query.replaceAll(/'.*?'|\/.*?\/|@\w+/g, ''));
  const names = texts.join().match(/\b[a-z][\w.]*/gi) ?? [];
  return [...new Set(names)].filter((name) => !words.test(name) && name !== 'record.status');
}

it('docs/runbook.md queries only fields that the functions log', async () => {
  const environment = { LOG_LEVEL: 'INFO', RELEASE: '8bab64c', AWS_LAMBDA_FUNCTION_VERSION: '7' };
  const createPet = await loadHandler('createPet', environment);
  const getPet = await loadHandler('getPet', environment);
  await takeIds(1);
  await storeItem({ pk: 'PET#9', id: 9n });
  const log = captureLog();
  await call(createPet, { body: rex });
  await call(getPet, { pathParameters: { petId: '9' } });

  const lines = log.lines();
  const logged = lines.flatMap(({ cause, ...line }) => [
    ...Object.keys(line),
    ...Object.keys(cause ?? {}).map((name) => `cause.${name}`),
  ]);
  expect(lines.map(({ code }) => code)).toEqual([
    'id_taken',
    'request_handled',
    'item_damaged',
    'request_failed',
  ]);
  expect(queriedFields('FUNCTIONS').filter((name) => !logged.includes(name))).toEqual([]);
  expect(queriedFields('FUNCTIONS')).toContain('cause.message');
});

it('docs/runbook.md queries only fields of the access log', () => {
  const template = readFileSync('infra/templates/PetStore-v1-production.json', 'utf8');
  const resources = Object.values<Resource>(JSON.parse(template).Resources);
  const stage = resources.find(({ Type }) => Type === 'AWS::ApiGateway::Stage');
  const logged = Object.keys(JSON.parse(stage?.Properties.AccessLogSetting.Format ?? '{}'));

  expect(queriedFields('ACCESS').filter((name) => !logged.includes(name))).toEqual([]);
  expect(queriedFields('ACCESS')).toContain('gatewayResponse');
});
