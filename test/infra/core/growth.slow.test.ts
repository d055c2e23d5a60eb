import type { Template } from 'aws-cdk-lib/assertions';
import { beforeEach, expect, it, vi } from 'vitest';
import {
  ItemPathError,
  permanentItemPaths,
  retiredMethods,
} from '../../../infra/core/apiMethods.ts';
import { stackName } from '../../../infra/core/stackNames.ts';
import {
  type Operation,
  operationEntries,
  operations,
  type TableAccess,
} from '../../../lib/operations.ts';
import { Pet } from '../../../lib/schemas.ts';
import { type TableDefinition, tables } from '../../../lib/tables.ts';
import { updateFaults } from '../../../tools/updateFaults.ts';
import { alarmsOf } from '../../helpers/alarms.ts';
import { durableName } from '../../helpers/bareStage.ts';
import { fullProductionStage } from '../../helpers/fullStacks.ts';
import { checkAlarmMath } from '../../helpers/metricMath.ts';
import { resourcesOf, shortId, synthesise, templateOf } from '../../helpers/templates.ts';

// The rows are objects of this file, so that a test can add and remove some.
vi.mock(import('../../../lib/operations.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    operations: { ...original.operations },
    operationEntries: [...original.operationEntries],
  };
});

const rows = operations as Record<string, Operation>;
const list = rows.listPets as Operation;
const item: Operation = {
  ...list,
  successStatus: 200,
  output: Pet,
  path: '/pets/{petId}',
  access: [{ table: 'pets', action: 'GetItem', partitionKey: 'PET#*' }],
};
// The interface may have no row of an item path.
const originalRows = { ...rows, getPet: item };
const originalItemPaths = [...permanentItemPaths];
const indexes: TableDefinition['indexes'] = tables.pets.indexes;
const { byStatus } = tables.pets.indexes;

function setRows(changed: Record<string, Operation>): void {
  for (const name of Object.keys(rows)) delete rows[name];
  Object.assign(rows, changed);
  operationEntries.splice(0, Infinity, ...(Object.entries(rows) as typeof operationEntries));
}

beforeEach(() => {
  setRows(originalRows);
  permanentItemPaths.splice(0, Infinity, ...originalItemPaths);
  retiredMethods.splice(0, Infinity);
  delete indexes.byState;
  indexes.byStatus = byStatus;
});

/** Synthesises production with everything that adds resources for an operation. */
function synthesiseProduction(): Template {
  return templateOf(synthesise([fullProductionStage]), stackName(durableName));
}

// A synthesis takes seconds.
const timeout = 120_000;

it('a stack has room for 20 operations, with alarms that CloudWatch accepts', {
  timeout,
}, async ({ annotate }) => {
  for (let n = operationEntries.length; n < 20; n += 1) {
    setRows({ ...rows, [`getThing${n}`]: { ...item, path: `/things${n}/{petId}` } });
    permanentItemPaths.push(`/things${n}/{petId}`);
  }

  const template = synthesiseProduction();

  // With that of the fallback.
  template.resourceCountIs('AWS::Lambda::Alias', 21);
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
  expect(names).toContain(`${stackName(durableName)}-ApiKeys-Deletes`);
  expect(names).not.toContain(`${stackName(durableName)}-Pets-Deletes`);
});

it('an operation that reads and writes shifts its traffic after every operation that only reads', {
  timeout,
}, () => {
  const changePet: Operation = {
    ...item,
    method: 'PATCH',
    access: [...item.access, { table: 'pets', action: 'UpdateItem', partitionKey: 'PET#*' }],
  };
  setRows({ changePet, ...originalRows });

  // Each alias waits for the one before it.
  const earlier = new Map(
    resourcesOf(synthesiseProduction(), 'AWS::Lambda::Alias').map(([id, { DependsOn }]) => [
      shortId(id),
      DependsOn.map(shortId).find((each: string) => each.endsWith('Alias')),
    ]),
  );
  const before: string[] = [];
  for (let id = earlier.get('changePetAlias'); id; id = earlier.get(id)) before.push(id);
  const readers = operationEntries.filter(([, { method }]) => method === 'GET');
  expect(readers.length).toBeGreaterThan(0);
  expect(before).toEqual(expect.arrayContaining(readers.map(([name]) => `${name}Alias`)));
});

it('a row that is added or removed makes an update that AWS takes, and that breaks no client', {
  timeout,
}, () => {
  const template = () => synthesiseProduction().toJSON();
  const before = template();
  const { getPet, ...others } = originalRows;
  setRows(others);
  expect(updateFaults(before, template())).toEqual([
    expect.stringContaining('add it to retiredMethods'),
    expect.stringContaining('add it to retiredMethods'),
  ]);
  retiredMethods.push({ method: 'GET', path: item.path });
  const withoutItem = template();
  permanentItemPaths.push('/photos/{photoId}');
  setRows({ ...others, listPhotos: { ...list, path: '/photos' } });
  const withCollection = template();
  setRows({ ...rows, getPhoto: { ...item, path: '/photos/{photoId}' } });
  const withBoth = template();
  // A resource that is no collection needs no item path.
  setRows({ ...rows, getPhotoStatus: { ...item, path: '/photos/{photoId}/status' } });
  const withSingleton = template();

  expect(updateFaults(before, withoutItem)).toEqual([]);
  expect(updateFaults(withoutItem, withCollection)).toEqual([]);
  expect(updateFaults(withCollection, withBoth)).toEqual([]);
  expect(updateFaults(withBoth, withSingleton)).toEqual([]);
});

it('an index changes safely in three releases, each of which can be reverted, and in no fewer', {
  timeout,
}, () => {
  const oldAccess = list.access[0] as TableAccess;
  const newAccess = { ...oldAccess, index: 'byState' } as TableAccess;
  const release = (...access: TableAccess[]) => {
    setRows({ ...originalRows, listPets: { ...list, access } });
    return synthesiseProduction().toJSON();
  };
  const start = release(oldAccess);
  indexes.byState = byStatus;
  const added = release(oldAccess, { ...newAccess, isUnused: true });
  const used = release({ ...oldAccess, isUnused: true }, newAccess);
  delete indexes.byStatus;
  const takenAway = release(newAccess);

  for (const [old, now] of [
    [start, added],
    [added, used],
    [used, takenAway],
  ]) {
    expect(updateFaults(old, now)).toEqual([]);
    expect(updateFaults(now, old)).toEqual([]);
  }
  const pets = Object.keys(used.Resources).find((id) => id.startsWith('Pets'));
  expect(updateFaults(start, used)).toEqual([
    `listPets: after a rollback, its new version would lack Allow dynamodb:Query on ${pets}/index/byState.`,
    `listPets: its new version would read ${pets}/index/byState before it is filled.`,
  ]);
  expect(updateFaults(added, takenAway)).toEqual([
    `listPets: its previous version would lose Allow dynamodb:Query on ${pets}/index/byStatus.`,
    `listPets: its previous version reads ${pets}/index/byStatus, which the update deletes.`,
  ]);
});

it.each([
  ['/photos', 'add /photos/{id} to permanentItemPaths for getPhoto'],
  [
    '/pets/{id}',
    "add /pets/{id} to permanentItemPaths for getPhoto, or use a parameter's name there: /pets/{petId}",
  ],
] as const)(
  'synthesis refuses the path %s, whose parameter could not change later',
  (path, message) => {
    setRows({ ...originalRows, getPhoto: { ...list, path } });

    expect(synthesiseProduction).toThrow(message);
    // `npm run synth` prints only the message of this class.
    expect(synthesiseProduction).toThrow(ItemPathError);
  },
);
