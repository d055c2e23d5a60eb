import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { updateFaults } from '../../tools/updateFaults.ts';
import { startProcess, temporaryFolder } from '../helpers/npmScript.ts';

const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const indexArn = (index: string) => ({ 'Fn::Join': ['', [arnOf('Pets'), `/index/${index}`]] });
const allow = (Action: string | string[], Resource: unknown) => ({
  Effect: 'Allow',
  Action,
  Resource,
});
const tableOf = (...indexes: string[]) => ({
  Type: 'AWS::DynamoDB::Table',
  Properties: { GlobalSecondaryIndexes: indexes.map((IndexName) => ({ IndexName })) },
});

const protection = {
  DeletionPolicy: 'Retain',
  Properties: {
    DeletionProtectionEnabled: true,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  },
};

const pathOf = (PathPart: string) => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: { ParentId: { Ref: 'Parent' }, PathPart },
});
const methodOf = (name: string) => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    HttpMethod: 'GET',
    Integration: {
      Uri: { 'Fn::Join': ['', ['arn:', arnOf(`${name}Function1A2B3C4D`), ':live/invocations']] },
    },
  },
});

type Parts = { role?: string; alias?: string; [id: string]: unknown };

/** A template with a function that has these permissions. */
function template(
  statements: object[],
  { role = 'Role', alias = 'Alias', ...resources }: Parts = {},
) {
  return {
    Resources: {
      Pets: tableOf('byStatus'),
      listPetsFunction1A2B3C4D: {
        Type: 'AWS::Lambda::Function',
        Properties: { Role: arnOf(role) },
      },
      [alias]: {
        Type: `AWS::Lambda::${alias}`,
        Properties: { FunctionName: { Ref: 'listPetsFunction1A2B3C4D' } },
      },
      [role]: { Type: 'AWS::IAM::Role', Properties: {} },
      Policy: {
        Type: 'AWS::IAM::Policy',
        Properties: { Roles: [{ Ref: role }], PolicyDocument: { Statement: statements } },
      },
      ...resources,
    },
  };
}

const get = allow('dynamodb:GetItem', arnOf('Pets'));
const put = allow('dynamodb:PutItem', arnOf('Pets'));
const query = allow('dynamodb:Query', indexArn('byStatus'));
const unused = { Sid: 'Unused1' };
const deny = { Action: 'dynamodb:PutItem', Effect: 'Deny', Resource: '*' };

const getOf = (...keys: string[]) => ({
  ...get,
  Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } },
});
const conditional = ({ Condition }: { Condition: object }) =>
  `Allow dynamodb:GetItem on Pets if ${JSON.stringify({ Condition })}`;
const pets = getOf('PET#*');
const petsAndCounter = getOf('COUNTER', 'PET#*');

const loses = (what: string) => `listPets: its previous version would lose ${what}.`;
const lacks = (what: string) => `listPets: after a rollback, its new version would lack ${what}.`;

describe('updateFaults', () => {
  it.each<[update: string, old: object, now: object, faults: string[]]>([
    [
      'other statements',
      template([get, put]),
      template([allow(['dynamodb:PutItem', 'dynamodb:GetItem'], arnOf('Pets'))]),
      [],
    ],
    [
      'another form of a reference',
      template([query]),
      template([allow('dynamodb:Query', { 'Fn::Sub': `\${Pets.Arn}/index/byStatus` })]),
      [],
    ],
    [
      'a table instead of its index',
      template([query]),
      template([allow('dynamodb:Query', arnOf('Pets'))]),
      [loses('Allow dynamodb:Query on Pets/index/byStatus'), lacks('Allow dynamodb:Query on Pets')],
    ],
    [
      'fewer keys',
      template([petsAndCounter]),
      template([pets]),
      [loses(conditional(petsAndCounter)), lacks(conditional(pets))],
    ],
    ['a Deny more', template([get]), template([get, deny]), [lacks('Deny dynamodb:PutItem on *')]],
    [
      'another role',
      template([get]),
      template([get], { role: 'OtherRole' }),
      ['listPets: its previous version needs the role Role as it is.'],
    ],
    [
      'a role with a boundary',
      template([get]),
      template([get], {
        Role: { Type: 'AWS::IAM::Role', Properties: { PermissionsBoundary: 'x' } },
      }),
      ['listPets: its previous version needs the role Role as it is.'],
    ],
    [
      'an action less of a function without an alias',
      template([get, put], { alias: 'Permission' }),
      template([get], { alias: 'Permission' }),
      [],
    ],
    ['an unused action more', template([get]), template([get, { ...put, ...unused }]), []],
    ['an unused action less', template([get, { ...put, ...unused }]), template([get]), []],
    [
      'an unused index less',
      template([{ ...query, ...unused }]),
      template([], { Pets: tableOf() }),
      [],
    ],
    ['a new operation on a new table', { Resources: {} }, template([query]), []],
  ])('finds what a version that still runs would miss: %s', (_, old, now, faults) => {
    expect(updateFaults(old, now)).toEqual(faults);
  });

  it.each<[update: string, old: object, now: object, faults: string[]]>([
    [
      'two path parameters below one path',
      { Pet: pathOf('{petId}') },
      { Other: pathOf('{id}') },
      ['API Gateway refuses to add Other {id} beside Pet {petId}.'],
    ],
    ['a path beside a path parameter', { Pet: pathOf('{petId}') }, { Other: pathOf('sales') }, []],
    [
      'a method of another operation',
      { Get: methodOf('listPets') },
      { Get: methodOf('findPets') },
      ['Get would respond 500 until the alias of its new function is there.'],
    ],
    ['a method of the fallback', { Get: methodOf('listPets') }, { Get: methodOf('fallback') }, []],
    [
      'two indexes at once',
      { Pets: tableOf('a') },
      { Pets: tableOf('b') },
      ['Pets: change one index in a release, under a new name.'],
    ],
    [
      'another time to live',
      { Pets: { ...tableOf(), Properties: { TimeToLiveSpecification: { Enabled: true } } } },
      { Pets: tableOf() },
      ['Pets: keep its TimeToLiveSpecification.'],
    ],
    [
      'a table without protection',
      { Pets: { ...tableOf(), ...protection } },
      { Pets: tableOf() },
      ['DeletionPolicy Retain', 'deletion protection', 'point-in-time recovery'].map(
        (each) => `Pets: keep its ${each}.`,
      ),
    ],
    [
      'a table with another name, which would be empty',
      { Pets: { ...tableOf(), Properties: { TableName: 'Pets' } } },
      { Pets: { ...tableOf(), Properties: { TableName: 'Animals' } } },
      ['Pets: keep its TableName Pets.'],
    ],
    ['a table with protection', { Pets: tableOf() }, { Pets: { ...tableOf(), ...protection } }, []],
  ])('finds what AWS refuses, loses or answers with 500: %s', (_, old, now, faults) => {
    expect(updateFaults({ Resources: old }, { Resources: now })).toEqual(faults);
  });
});

describe('npm run check:update', () => {
  it('exits with 1 and the faults, until a person accepts them', async () => {
    const folder = await temporaryFolder();
    const write = (file: string, text: string) => writeFile(join(folder, file), text);
    await write('deployed.json', JSON.stringify(template([get, put])));
    await write('next.json', JSON.stringify(template([get])));
    await mkdir(join(folder, '.ci'));
    await write('.ci/unsafeUpdates.txt', '# none\n');
    const check = async () => {
      const args = [resolve('tools/checkUpdate.ts'), 'deployed.json', 'next.json'];
      const running = startProcess(process.execPath, args, {}, folder);
      return { exitCode: await running.exited, stdout: running.stdout, stderr: running.stderr };
    };
    const fault = loses('Allow dynamodb:PutItem on Pets');

    const refused = await check();
    await write('.ci/unsafeUpdates.txt', `# none\n${fault}\n`);
    const accepted = await check();

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(`The update is refused:\n${fault}\nA permission or an index`);
    expect(accepted).toMatchObject({ exitCode: 0, stderr: '' });
    expect(accepted.stdout).toContain(fault);
  });
});
