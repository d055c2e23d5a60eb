import type { Stack } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { functionEnvironment } from '../../lib/config.ts';
import { operations, type TableAccess } from '../../lib/operations.ts';
import { mapTables, type TableName } from '../../lib/tables.ts';
import { apiFunctionNames } from './apiMethods.ts';
import { ApiFunction, type Artifacts, type FunctionSettings } from './ServiceFunction.ts';

type ApiFunctionsProps = {
  stage: FunctionSettings & {
    name: string;
    idsPerLease: number;
    corsOrigins?: readonly string[] | undefined;
  };
  artifacts: Artifacts;
  tables: Record<TableName, ITable>;
};

/** Adds the function of each operation, which may use the tables as its row says, and the fallback. */
export function addApiFunctions(stack: Stack, props: ApiFunctionsProps): ApiFunction[] {
  const { stage, artifacts, tables } = props;
  const environment = functionEnvironment({
    ...stage,
    stage: stage.name,
    tableNames: mapTables((name) => tables[name].tableName),
  });
  const readApiKey = new PolicyStatement({
    actions: ['dynamodb:GetItem'],
    resources: [tables.apiKeys.tableArn],
  });
  return apiFunctionNames().map((name) => {
    const accesses = name === 'fallback' ? [] : operations[name].access;
    const tableStatements = accesses.map((each: TableAccess) =>
      allow(each, tables[each.table].tableArn),
    );
    const statements = [readApiKey, ...tableStatements];
    return new ApiFunction(stack, name, { name, stage, artifacts, environment, statements });
  });
}

/** Allows exactly one access. `table.grant…` would add more actions, every index and all items. */
function allow(access: TableAccess, tableArn: string): PolicyStatement {
  const keys = access.action !== 'Query' && access.partitionKey;
  return new PolicyStatement({
    actions: [`dynamodb:${access.action}`],
    resources: ['index' in access ? `${tableArn}/index/${access.index}` : tableArn],
    ...(keys && {
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] },
        // `ForAllValues` is also true for a request without keys. `Null` excludes such a request.
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    }),
  });
}
