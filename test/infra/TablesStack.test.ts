import { expect, it } from 'vitest';
import { tablesStackName } from '../../infra/core/stackNames.ts';
import { tables } from '../../lib/tables.ts';
import { createTableInput } from '../../local/createTables.ts';
import { durableName, otherName } from '../helpers/bareStage.ts';
import { fullStacks } from '../helpers/fullStacks.ts';
import { propertiesOf, templateOf } from '../helpers/templates.ts';

it('the tables on AWS have the keys, attributes and indexes of the local ones', () => {
  const template = templateOf(fullStacks, tablesStackName(durableName));
  const local = Object.values(tables).map((each) => {
    const { TableName, ...shape } = createTableInput('', each);
    return shape;
  });

  expect(propertiesOf(template, 'AWS::DynamoDB::Table')).toMatchObject(local);
});

it('of a stage that is not durable, only tables that are always restorable have backups', () => {
  const template = templateOf(fullStacks, tablesStackName(otherName));

  const restorable = propertiesOf(template, 'AWS::DynamoDB::Table').map(
    ({ PointInTimeRecoverySpecification }) =>
      PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled,
  );
  expect(restorable).toEqual(
    Object.values(tables).map(({ pointInTimeRecovery }) => pointInTimeRecovery === 'always'),
  );
});
