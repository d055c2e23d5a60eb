import type { Template } from 'aws-cdk-lib/assertions';
import { beforeEach, expect, it, vi } from 'vitest';
import {
  ItemPathError,
  permanentItemPaths,
  retiredMethods,
} from '../../../infra/core/apiMethods.ts';
import { stackName } from '../../../infra/core/stackNames.ts';
import { type Operation, operationEntries, operations } from '../../../lib/operations.ts';
import { Pet } from '../../../lib/schemas.ts';
import { alarmsOf } from '../../helpers/alarms.ts';
import { durableName } from '../../helpers/bareStage.ts';
import { fullProductionStage } from '../../helpers/fullStacks.ts';
import { checkAlarmMath } from '../../helpers/metricMath.ts';
import {
  propertiesOf,
  resourcesOf,
  shortId,
  synthesise,
  templateOf,
} from '../../helpers/templates.ts';

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

function setRows(changed: Record<string, Operation>): void {
  for (const name of Object.keys(rows)) delete rows[name];
  Object.assign(rows, changed);
  operationEntries.splice(0, Infinity, ...(Object.entries(rows) as typeof operationEntries));
}

beforeEach(() => {
  setRows(originalRows);
  permanentItemPaths.splice(0, Infinity, ...originalItemPaths);
  retiredMethods.splice(0, Infinity);
});

/** Synthesises production with everything that adds resources for an operation. */
function synthesiseProduction(): Template {
  return templateOf(synthesise([fullProductionStage]), stackName(durableName));
}

it('a stack has room for 20 operations, with alarms that CloudWatch accepts', async ({
  annotate,
}) => {
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

it('a changed permission makes a new role and version of its function only, and keeps the previous ones', () => {
  const versionsAndRoles = (template: Template) =>
    ['AWS::Lambda::Version', 'AWS::IAM::Role'].flatMap((type) => resourcesOf(template, type));
  const before = versionsAndRoles(synthesiseProduction());
  setRows({ ...originalRows, getPet: { ...item, access: [...item.access, ...list.access] } });

  const after = versionsAndRoles(synthesiseProduction());

  const idsAfter = after.map(([id]) => id);
  const replaced = before.filter(([id]) => !idsAfter.includes(id));
  expect(after).toHaveLength(before.length);
  expect(replaced.map(([, { Type }]) => Type)).toEqual(['AWS::Lambda::Version', 'AWS::IAM::Role']);
  for (const [id, resource] of replaced) {
    expect(id).toMatch(/^getPet/);
    expect(resource).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate' });
    expect(resource).toMatchObject({ UpdateReplacePolicy: 'Retain' });
  }
});

it('a removed operation leaves its item path and, in retiredMethods, its methods to the fallback', () => {
  const { getPet, ...others } = originalRows;
  const methodsOfItem = (template: Template) => {
    const [[path] = ['']] = resourcesOf(template, 'AWS::ApiGateway::Resource').filter(
      ([, { Properties }]) => Properties.PathPart === '{petId}',
    );
    return propertiesOf(template, 'AWS::ApiGateway::Method')
      .filter(({ ResourceId }) => ResourceId === `<${shortId(path)}>`)
      .map(({ HttpMethod, Integration }) => `${HttpMethod} ${Integration.Uri}`)
      .filter((each) => each.includes('<fallbackAlias>'))
      .map((each) => each.split(' ')[0]);
  };
  expect(methodsOfItem(synthesiseProduction())).toEqual(['ANY']);
  setRows(others);
  retiredMethods.push({ method: 'GET', path: item.path });

  expect(methodsOfItem(synthesiseProduction()).sort()).toEqual(['ANY', 'GET', 'HEAD']);
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
