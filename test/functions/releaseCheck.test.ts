import { beforeEach, describe, expect, it, vi } from 'vitest';
import { toApiEvent } from '../../lib/http/event.ts';
import type { Handler } from '../../lib/http/handler.ts';
import type { OperationName } from '../../lib/operations.ts';
import { call, loadHandler } from '../helpers/api.ts';
import { captureLog } from '../helpers/captureLog.ts';
import {
  dynamoDbError,
  emptyStore,
  interceptDatabase,
  storedItems,
  storedPets,
} from '../helpers/database.ts';
import { loadHook, releasingAws } from '../helpers/releasingAws.ts';
import { isAllowed, type Statement, tableStatements } from '../helpers/rolePolicy.ts';
import { functionNames, production } from '../helpers/templates.ts';

type Name = OperationName | 'fallback';

/** The permissions of a new version, its environment, and what happens after each of its responses. */
type Release = {
  name: Name;
  role?: Statement[];
  environment?: Record<string, string>;
  afterResponse?: () => Promise<void>;
};

const roleOf = (name: string) => tableStatements(production, `${name}Role`);

/** Lets the hook verify a version, both with the permissions of their roles. Returns the verdict. */
async function release({ name, role = roleOf(name), environment = {}, afterResponse }: Release) {
  const version: Handler = await loadHandler(name, environment);
  await enforce(role);
  vi.unstubAllEnvs();
  const aws = await releasingAws(
    async (event, response) => {
      const result = await version(event, {});
      await afterResponse?.();
      response.end(JSON.stringify(result));
    },
    { name },
  );
  const log = captureLog();
  const hook = await loadHook();
  await enforce(tableStatements(production, `Releases${name}HookRole`));

  await hook();

  const [{ status = undefined } = {}] = aws.verdicts as { status?: string }[];
  return { status, log: log.text(), events: aws.events };
}

/** Refuses the calls of the modules that are loaded now, unless the statements allow them. */
async function enforce(statements: Statement[]): Promise<void> {
  const { dynamoDbClient } = await import('../../lib/dynamodb/client.ts');
  interceptDatabase(({ action, input, pass }) => {
    if (isAllowed(statements, action, input)) return pass();
    throw dynamoDbError('AccessDeniedException', 400);
  }, dynamoDbClient);
}

const names = functionNames as Name[];

/** Each permission of each function, and each limit on partition keys. */
const permissions = names.flatMap((name) => roleOf(name).map((statement) => ({ name, statement })));
const limited = permissions.filter(({ statement }) => statement.keys);

beforeEach(emptyStore);

describe('the check of a new version', () => {
  it.each(names)('accepts %s with exactly the permissions of its role', async (name) => {
    expect(await release({ name })).toMatchObject({ status: 'Succeeded' });
  });

  it('knows every permission', () => {
    const rare = { action: 'dynamodb:UpdateItem', resource: '<Idempotency.Arn>' };
    expect(permissions).toContainEqual({ name: 'createPet', statement: rare });
    for (const name of names) {
      const key = { action: 'dynamodb:GetItem', resource: '<ApiKeys.Arn>' };
      expect(permissions).toContainEqual({ name, statement: key });
    }
    expect(limited.length).toBeGreaterThan(0);
  });

  it.each(permissions)(
    'refuses $name without $statement.action on $statement.resource $statement.keys',
    async ({ name, statement }) => {
      const role = roleOf(name).filter(
        (each) => JSON.stringify(each) !== JSON.stringify(statement),
      );

      const { status, log } = await release({ name, role });

      expect(status).toBe('Failed');
      expect(log).toContain('AccessDeniedException');
    },
  );

  it.each(limited)(
    'refuses $name with a wrong condition on $statement.action $statement.keys',
    async ({ name, statement }) => {
      const wrong = { ...statement, keys: statement.keys?.map((key) => `OTHER-${key}`) ?? [] };
      const role = roleOf(name).map((each) =>
        JSON.stringify(each) === JSON.stringify(statement) ? wrong : each,
      );

      const { status, log } = await release({ name, role });

      expect(status).toBe('Failed');
      expect(log).toContain('AccessDeniedException');
    },
  );

  it.each<[Name, string]>([
    ['listPets', 'PETS_TABLE'],
    ['getPet', 'PETS_TABLE'],
    ['createPet', 'PETS_TABLE'],
    ['createPet', 'IDEMPOTENCY_TABLE'],
    ...names.map((name): [Name, string] => [name, 'API_KEYS_TABLE']),
  ])('refuses %s with a wrong %s', async (name, variable) => {
    const { status } = await release({ name, environment: { [variable]: 'wrong' } });

    expect(status).toBe('Failed');
  });

  it.each(names)('of %s shows no pet to a client, and leaves none', async (name) => {
    const client = {
      list: await loadHandler('listPets', {}),
      get: await loadHandler('getPet', {}),
    };
    const seen: unknown[] = [];
    const afterResponse = async () => {
      const items = await storedPets();
      const ids = items.map(({ id }) => String(id));
      const read = await Promise.all(['1', ...ids].map((petId) => call(client.get, { petId })));
      const { json } = await call(client.list);
      seen.push({ listed: json, statuses: [...new Set(read.map(({ status }) => status))] });
    };

    const { status, events } = await release({ name, afterResponse });

    expect(status).toBe('Succeeded');
    expect(seen).toHaveLength(events.length);
    for (const each of seen) expect(each).toEqual({ listed: [], statuses: [404] });
    expect(await storedPets()).toEqual([]);
  });

  it('of createPet takes ids from the counter, which leaves a gap', async () => {
    await release({ name: 'createPet' });
    const create = await loadHandler('createPet', {});

    const { json } = await call(create, { body: { name: 'Rex', categoryId: 1 } });

    expect(json.id).toBe(4);
    expect((await storedItems()).map(({ pk }) => pk).sort()).toEqual(['COUNTER', 'PET#4']);
  });

  it.each(names)(
    'lets the fault of the rollback drill in %s pass, so that the canary meets it',
    async (name) => {
      const { status } = await release({ name, environment: { FAULT: 'on' } });

      expect(status).toBe('Succeeded');
    },
  );
});

describe('a client', () => {
  it('cannot send the event of a release check', () => {
    const claim = { isReleaseCheck: 'true' };
    const lists = { isReleaseCheck: ['true'] };

    const { petKeyPrefix } = toApiEvent(
      {
        headers: claim,
        multiValueHeaders: lists,
        queryStringParameters: claim,
        multiValueQueryStringParameters: lists,
        rawQueryString: 'isReleaseCheck=true',
        pathParameters: claim,
        body: '{"isReleaseCheck":true}',
      },
      {},
    );

    expect(petKeyPrefix).toBe('');
  });
});
