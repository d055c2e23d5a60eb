import { expect, it } from 'vitest';
import { call, loadHandler } from './helpers/api.ts';
import { captureLog } from './helpers/captureLog.ts';
import { storeItem, takeIds } from './helpers/database.ts';
import { fullProduction } from './helpers/fullStacks.ts';
import { rex, storedPet } from './helpers/samplePets.ts';
import { propertiesOf } from './helpers/templates.ts';

type Query = { Name: string; QueryString: string; LogGroupNames: string[] };

const queries: Query[] = propertiesOf(fullProduction, 'AWS::Logs::QueryDefinition');

/** The words of the query language, apart from functions. */
const keywords =
  /^(and|as|asc|by|desc|display|fields|filter|in|like|limit|not|or|sort|stats|\d+[smhd]?)$/;

/** The fields of a query that neither the query itself, nor CloudWatch, nor Lambda's own lines define. */
function fieldsOf({ QueryString }: Query): string[] {
  const withoutValues = QueryString.replaceAll(/'.*?'|\/.*?\/|\w+(?=\()/g, '');
  const aliases = [...withoutValues.matchAll(/\bas (\w+)/g)].map(([, alias]) => alias);
  const names = withoutValues.match(/@?\w[\w.]*/g) ?? [];
  return names.filter(
    (name) => !(keywords.test(name) || aliases.includes(name) || /^@|^record\.status$/.test(name)),
  );
}

/** The fields of what the functions log, from lines of each code. */
async function loggedByFunctions(): Promise<Set<string>> {
  const environment = { LOG_LEVEL: 'INFO', RELEASE: '8bab64c', AWS_LAMBDA_FUNCTION_VERSION: '7' };
  const createPet = await loadHandler('createPet', environment);
  const getPet = await loadHandler('getPet', environment);
  await takeIds(1);
  await storeItem(storedPet(9n, { id: undefined }));
  const log = captureLog();
  await call(createPet, { body: rex });
  await call(getPet, { pathParameters: { petId: '9' } });

  const lines = log.lines();
  expect(lines.map(({ code }) => code)).toEqual([
    'id_taken',
    'request_handled',
    'item_damaged',
    'request_failed',
  ]);
  const names = lines.flatMap(({ cause, ...line }) => [
    ...Object.keys(line),
    ...Object.keys(cause ?? {}).map((name) => `cause.${name}`),
  ]);
  return new Set(names);
}

it('a saved query names only fields of the logs that it reads', async () => {
  const [stage] = propertiesOf(fullProduction, 'AWS::ApiGateway::Stage');
  const accessLogFields = Object.keys(JSON.parse(stage.AccessLogSetting.Format));
  const functionFields = await loggedByFunctions();

  const fields = queries.flatMap((query) =>
    fieldsOf(query).map((field) => ({
      query: query.Name,
      field,
      isLogged: query.LogGroupNames.some((log) =>
        log === '<AccessLog>' ? accessLogFields.includes(field) : functionFields.has(field),
      ),
    })),
  );

  expect(fields.filter(({ isLogged }) => !isLogged)).toEqual([]);
  expect(fields.map(({ field }) => field)).toEqual(
    expect.arrayContaining(['gatewayResponse', 'cause.message']),
  );
});

it('the saved queries read the access log and the log of each function, and are ASCII', () => {
  const logs = propertiesOf(fullProduction, 'AWS::Lambda::Function').map(
    ({ LoggingConfig }) => LoggingConfig.LogGroup,
  );

  expect(new Set(queries.flatMap(({ LogGroupNames }) => LogGroupNames))).toEqual(
    new Set(['<AccessLog>', ...logs]),
  );
  // `cdk import` garbles other characters.
  expect(JSON.stringify(queries)).toMatch(/^[ -~]+$/);
});
