import type { Template } from 'aws-cdk-lib/assertions';
import { afterEach, expect, it, vi } from 'vitest';
import { itemPaths, removedMethods } from '../../infra/constructs/apiMethods.ts';
import { type Operation, operationEntries, operations } from '../../lib/operations.ts';
import { alarmsOf } from '../helpers/alarms.ts';
import { bareStage } from '../helpers/bareStage.ts';
import { checkAlarmMath } from '../helpers/metricMath.ts';
import { resourcesOf, synthesise, templateOf } from '../helpers/templates.ts';

// The rows are objects of this file, so that a test can add and remove some.
vi.mock(import('../../lib/operations.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    operations: { ...original.operations },
    operationEntries: [...original.operationEntries],
  };
});

const rows = operations as Record<string, Operation>;
const originalRows = { ...rows };
const originalItemPaths = [...itemPaths];

function setRows(changed: Record<string, Operation>): void {
  for (const name of Object.keys(rows)) delete rows[name];
  Object.assign(rows, changed);
  operationEntries.splice(0, Infinity, ...(Object.entries(rows) as typeof operationEntries));
}

afterEach(() => {
  setRows(originalRows);
  itemPaths.splice(0, Infinity, ...originalItemPaths);
  removedMethods.splice(0, Infinity);
});

const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';

/** Synthesises production with everything that adds resources for an operation. */
function synthesiseProduction(): Template {
  const production = {
    ...bareStage('v1-production'),
    alarmRecipient: { email: 'ops@example.com' },
    domain: { name: 'api.example.com', certificateArn },
    corsOrigins: ['https://app.example.com'],
    tableCeiling: { readUnits: 40_000, writeUnits: 40_000 },
  };
  return templateOf(synthesise([production]), 'PetStore-v1-production');
}

/** The path parameter below each resource that has one. API Gateway allows one. */
function parametersBelow(template: Template): Record<string, string> {
  const resources = resourcesOf(template, 'AWS::ApiGateway::Resource').map(([, { Properties }]) => [
    JSON.stringify(Properties.ParentId),
    String(Properties.PathPart),
  ]);
  return Object.fromEntries(resources.filter(([, part]) => part?.startsWith('{')));
}

const list = originalRows.listPets as Operation;
const item = originalRows.getPet as Operation;

// A synthesis takes seconds.
const timeout = 120_000;

it('a stack has room for 20 operations, with alarms that CloudWatch accepts', {
  timeout,
}, async ({ annotate }) => {
  for (let n = operationEntries.length; n < 20; n += 1) {
    setRows({ ...rows, [`getThing${n}`]: { ...item, path: `/things${n}/{petId}` } });
    itemPaths.push(`/things${n}/{petId}`);
  }

  const template = synthesiseProduction();

  template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', 20);
  const left = 500 - Object.keys(template.toJSON().Resources).length;
  await annotate(`With 20 operations, ${left} of CloudFormation's 500 resources are left.`);
  expect(left).toBeGreaterThan(0);
  for (const { queries } of alarmsOf(template)) checkAlarmMath(queries);
});

it('a table whose items an operation deletes has no alarm on deleted items', { timeout }, () => {
  const deletePet: Operation = {
    method: 'DELETE',
    path: '/pets/{petId}',
    successStatus: 204,
    input: item.input,
    access: [{ table: 'pets', action: 'DeleteItem', partitionKey: 'PET#*' }],
  };
  setRows({ ...rows, deletePet });

  const names = alarmsOf(synthesiseProduction()).map(({ name }) => name);
  expect(names).toContain('PetStore-v1-production-ApiKeys-Deletes');
  expect(names).not.toContain('PetStore-v1-production-Pets-Deletes');
});

it('a row that is added or removed never swaps the path parameter below a resource', {
  timeout,
}, () => {
  const before = parametersBelow(synthesiseProduction());
  const { getPet, ...withoutItem } = originalRows;
  setRows(withoutItem);
  const removed = parametersBelow(synthesiseProduction());
  itemPaths.push('/visits/{visitId}');
  setRows({ ...originalRows, listVisits: { ...list, path: '/visits' } });
  const collection = parametersBelow(synthesiseProduction());
  setRows({ ...rows, getVisit: { ...item, path: '/visits/{visitId}' } });
  const withItem = parametersBelow(synthesiseProduction());

  expect(getPet).toBeDefined();
  expect(removed).toEqual(before);
  expect(collection).toMatchObject(before);
  expect(Object.values(collection)).toContain('{visitId}');
  expect(withItem).toEqual(collection);
});

it('sends the methods of a removed operation to the fallback, because the deployed API keeps them', {
  timeout,
}, () => {
  const methodIds = (template: Template) =>
    resourcesOf(template, 'AWS::ApiGateway::Method').flatMap(([id, { Properties }]) =>
      // The gateway itself responds to preflight requests.
      Properties.HttpMethod === 'OPTIONS' ? [] : [id],
    );
  const before = methodIds(synthesiseProduction());
  const { getPet, ...others } = originalRows;
  setRows(others);
  removedMethods.push({ method: 'GET', path: item.path });

  const template = synthesiseProduction();

  expect(methodIds(template).toSorted()).toEqual(before.toSorted());
  expect(JSON.stringify(template.toJSON())).not.toContain('getPetFunction');
});

it.each([
  ['/visits', 'add /visits/{id} to itemPaths for getVisit'],
  [
    '/pets/{id}',
    "add /pets/{id} to itemPaths for getVisit, or use a parameter's name there: /pets/{petId}",
  ],
] as const)(
  'synthesis refuses the path %s, whose parameter could not change later',
  (path, message) => {
    setRows({ ...originalRows, getVisit: { ...item, path } });

    expect(synthesiseProduction).toThrow(message);
  },
);
