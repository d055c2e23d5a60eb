import { beforeEach, describe, expect, it } from 'vitest';
import { config } from '../../lib/config.ts';
import { type OperationName, operations } from '../../lib/operations.ts';
import { allTables, type TableName, tableName, tables } from '../../lib/tables.ts';
import { call, loadHandler } from '../helpers/api.ts';
import { durableName } from '../helpers/bareStage.ts';
import { captureLog } from '../helpers/captureLog.ts';
import {
  dynamoDbError,
  emptyTables,
  interceptDatabase,
  itemsWithId,
  storeItems,
} from '../helpers/database.ts';
import {
  exampleRequest,
  preparationsOf,
  queriesOf,
  sendExample,
} from '../helpers/exampleRequests.ts';
import { newKey } from '../helpers/samplePets.ts';
import { functionNames, permissionsOf, production as template } from '../helpers/templates.ts';

type Name = OperationName | 'fallback';

/** A statement with one action and one resource, such as `table/PetStore-v1-production-Pets`. */
type Statement = {
  action: string;
  resource: string;
  /** The patterns of the partition keys that it is limited to. */
  keys?: string[];
};

// The embedded engine checks no permissions, so a missing one would otherwise show only on AWS.

const names = functionNames as Name[];
const expectedStatus = (name: Name) => (name === 'fallback' ? 404 : operations[name].successStatus);

/** Each permission of each function, and each limit on partition keys. */
const permissions = names.flatMap((name) => roleOf(name).map((statement) => ({ name, statement })));
const limited = permissions.filter(({ statement }) => statement.keys);

/**
 * Sends the example of an operation three times to a new instance with these permissions, then with other queries.
 * Returns the statuses and the calls that were denied.
 *
 * The second request finds what the first one found, and all new ids taken. So a creation uses each of its
 * permissions, and a deletion succeeds twice. The third one finds nothing, so `attribute_exists` fails.
 */
async function statusesWith(
  name: Name,
  statements: Statement[],
): Promise<{ statuses: number[]; denied: string[] }> {
  captureLog();
  const denied: string[] = [];
  const preparations = name === 'fallback' ? [] : preparationsOf(name);
  for (const each of preparations) await sendExample(each);
  const before = await itemsWithId();
  const handler = await loadHandler(name, {});
  interceptDatabase(({ action, input, pass }) => {
    if (isAllowed(statements, action, input)) return pass();
    denied.push(
      `${action} on ${input.IndexName ?? input.TableName} with ${JSON.stringify(input.Key ?? input.Item)}`,
    );
    throw dynamoDbError('AccessDeniedException', 400);
  });
  const example = name === 'fallback' ? { event: { path: '/v1/none' } } : exampleRequest(name);
  const hasKey = 'Idempotency-Key' in (example.headers ?? {});
  const request = { ...example, ...(hasKey && { headers: { 'Idempotency-Key': newKey() } }) };

  const send = () => call(handler, request);

  const first = await send();
  for (const { tableName, item } of [...(await itemsWithId()), ...before]) {
    await storeItems([{ ...item, token: 'another' }], tableName);
  }
  const second = await send();
  await emptyTables();
  const third = await send();
  const statuses = [first.status, second.status, third.status];
  for (const query of name === 'fallback' ? [] : queriesOf(name)) {
    statuses.push((await call(handler, { ...request, query })).status);
  }
  return { statuses, denied };
}

beforeEach(emptyTables);

const textOf = ({ action, resource, keys = [] }: Statement) =>
  [action, 'on', resource, ...keys].join(' ');

/** What to change if a function does its work without a permission. */
const unused = (name: Name) =>
  `if the complete role lets ${name} do its work, take this out of its access in lib/operations.ts, or let a request of this test need it: it sends the example of openapi.json three times, then without a query and with each parameter of it`;

describe('the role of a function', () => {
  it.each(names)('lets %s do its work', async (name) => {
    const status = expectedStatus(name);

    const { statuses, denied } = await statusesWith(name, roleOf(name));

    expect(denied, `add these calls to the access of ${name} in lib/operations.ts`).toEqual([]);
    const [first, second, third] = statuses;
    expect([first, second]).toEqual([status, status]);
    expect([status, 404]).toContain(third);
  });

  it.each(permissions.map(({ name, statement }) => [name, textOf(statement), statement] as const))(
    '%s responds 500 without the permission %s',
    async (name, _text, statement) => {
      const others = roleOf(name).filter(
        (each) => JSON.stringify(each) !== JSON.stringify(statement),
      );

      expect((await statusesWith(name, others)).statuses, unused(name)).toContain(500);
    },
  );

  it.each(limited)(
    '$name responds 500 if $statement.action is limited to other keys than $statement.keys',
    async ({ name, statement }) => {
      const wrong = { ...statement, keys: statement.keys?.map((key) => `OTHER-${key}`) ?? [] };
      const role = roleOf(name).map((each) =>
        JSON.stringify(each) === JSON.stringify(statement) ? wrong : each,
      );

      expect((await statusesWith(name, role)).statuses, unused(name)).toContain(500);
    },
  );

  it('is limited to partition keys in each table with items of several kinds', () => {
    // A partition key named `pk` says of which kind its item is.
    const shared = allTables
      .filter((each) => tables[each].partitionKey.name === 'pk')
      .map(resourceOf);
    const unlimited = permissions.filter(
      ({ statement }) => shared.includes(statement.resource) && !statement.keys,
    );

    expect(shared).toContain(resourceOf('pets'));
    expect(unlimited, 'add partitionKey to their access in lib/operations.ts').toEqual([]);
  });
});

const resourceOf = (name: TableName) => `table/${tableName(durableName, name)}`;

/** Reads what a function may do with DynamoDB. */
function roleOf(name: Name): Statement[] {
  return permissionsOf(template)
    .filter(({ role, action }) => role === `${name}Role` && action.startsWith('dynamodb:'))
    .map(({ action, resource, condition }) => {
      if (!condition) return { action, resource };
      const { 'ForAllValues:StringLike': like } = condition;
      // ForAllValues without the Null condition also matches a request without keys.
      expect(condition).toEqual({
        'ForAllValues:StringLike': like,
        Null: { 'dynamodb:LeadingKeys': 'false' },
      });
      return { action, resource, keys: [like?.['dynamodb:LeadingKeys']].flat().map(String) };
    });
}

type Input = {
  TableName?: string;
  IndexName?: string;
  Key?: Record<string, { S: string }>;
  Item?: Record<string, { S: string }>;
};

/**
 * Decides as IAM does whether statements allow a call of DynamoDB. The embedded engine checks no
 * permissions.
 */
function isAllowed(statements: Statement[], action: string, input: Input): boolean {
  const table = allTables.find((each) => config().tableNames[each] === input.TableName);
  if (!table) return false;
  const index = input.IndexName ? `/index/${input.IndexName}` : '';
  const resource = `${resourceOf(table)}${index}`;
  const key = (input.Key ?? input.Item)?.[tables[table].partitionKey.name]?.S ?? '';
  return statements.some(
    (each) =>
      each.action === `dynamodb:${action}` &&
      each.resource === resource &&
      (each.keys?.some((pattern) => isLike(key, pattern)) ?? true),
  );
}

function isLike(text: string, pattern: string): boolean {
  const source = pattern.replaceAll(/[^\w*]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${source}$`, 's').test(text);
}
