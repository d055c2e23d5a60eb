import { beforeEach, describe, expect, it } from 'vitest';
import { type OperationTexts, operationTexts } from '../../infra/openapi/texts.ts';
import { type OperationName, operations } from '../../lib/operations.ts';
import { call, loadHandler } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import {
  dynamoDbError,
  emptyStore,
  interceptDatabase,
  storedPets,
  storeItem,
} from '../helpers/database.ts';
import { isAllowed, type Statement, tableStatements } from '../helpers/rolePolicy.ts';
import { newKey, storedPet } from '../helpers/samplePets.ts';
import { functionNames, production } from '../helpers/templates.ts';

type Name = OperationName | 'fallback';

// The embedded engine checks no permissions, so a missing one would otherwise show only on AWS.

const names = functionNames as Name[];
const roleOf = (name: Name) => tableStatements(production, `${name}Role`);
const texts: Record<string, OperationTexts> = operationTexts;
const expectedStatus = (name: Name) => (name === 'fallback' ? 404 : operations[name].successStatus);

/** Each permission of each function, and each limit on partition keys. */
const permissions = names.flatMap((name) => roleOf(name).map((statement) => ({ name, statement })));
const limited = permissions.filter(({ statement }) => statement.keys);

/**
 * Sends the same request twice to a new instance with these permissions, and returns the statuses.
 *
 * In between, another request takes the ids of all pets. So a creation uses each of its permissions.
 */
async function statusesWith(name: Name, statements: Statement[]): Promise<number[]> {
  captureLog();
  const handler = await loadHandler(name, {});
  const { dynamoDb } = await import('../../lib/dynamodb/client.ts');
  interceptDatabase(({ action, input, pass }) => {
    if (isAllowed(statements, action, input)) return pass();
    throw dynamoDbError('AccessDeniedException', 400);
  }, dynamoDb());
  const input = name === 'fallback' ? {} : operations[name].input;
  const request = {
    ...(name === 'fallback' && { event: { path: '/v1/none' } }),
    ...('path' in input && { petId: '1' }),
    ...('headers' in input && { idempotencyKey: newKey() }),
    ...('body' in input && { body: texts[name]?.requestExample }),
  };

  const first = await call(handler, request);
  for (const pet of await storedPets()) await storeItem({ ...pet, token: 'another' });
  const second = await call(handler, request);
  return [first.status, second.status];
}

beforeEach(async () => {
  await emptyStore();
  await storeItem(storedPet(1n));
});

describe('the role of a function', () => {
  it.each(names)('lets %s do its work', async (name) => {
    const status = expectedStatus(name);

    expect(await statusesWith(name, roleOf(name))).toEqual([status, status]);
  });

  it.each(permissions)(
    'needs, for $name, $statement.action on $statement.resource $statement.keys',
    async ({ name, statement }) => {
      const others = roleOf(name).filter(
        (each) => JSON.stringify(each) !== JSON.stringify(statement),
      );

      expect(await statusesWith(name, others)).toContain(500);
    },
  );

  it.each(limited)(
    'needs, for $name, the keys $statement.keys of $statement.action',
    async ({ name, statement }) => {
      const wrong = { ...statement, keys: statement.keys?.map((key) => `OTHER-${key}`) ?? [] };
      const role = roleOf(name).map((each) =>
        JSON.stringify(each) === JSON.stringify(statement) ? wrong : each,
      );

      expect(await statusesWith(name, role)).toContain(500);
    },
  );

  it('reads API keys, and limits the keys of the pets table', () => {
    const resource = '<ApiKeys.Arn>';
    for (const name of names) {
      const statement = { action: 'dynamodb:GetItem', resource };
      expect(permissions).toContainEqual({ name, statement });
    }
    expect(limited.length).toBeGreaterThan(0);
  });
});
