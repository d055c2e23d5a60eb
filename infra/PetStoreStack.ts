import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { basePath, type OperationName, operations, type TableAccess } from '../lib/operations.ts';
import { apiKeysTable, idempotencyTable, petsTable } from '../lib/tables.ts';
import { ApiFunction } from './constructs/ApiFunction.ts';
import { DefinedTable } from './constructs/DefinedTable.ts';
import { PetStoreApi } from './constructs/PetStoreApi.ts';
import { functionEnvironment } from './functionEnvironment.ts';
import { outputNames, type Stage } from './stages.ts';

/** One deployment of the pet store: its tables, its functions and the API before them. */
export class PetStoreStack extends Stack {
  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id, {
      description: `The pet store service, stage ${stage.name}`,
      terminationProtection: stage.isDurable,
    });
    const { isDurable } = stage;
    const pets = new DefinedTable(this, 'Pets', { definition: petsTable, isDurable });
    const apiKeys = new DefinedTable(this, 'ApiKeys', { definition: apiKeysTable, isDurable });

    // What it holds lives for a day: to lose it costs the clients of that day their safe retries.
    const idempotency = new DefinedTable(this, 'Idempotency', {
      definition: idempotencyTable,
      isDurable: false,
    });

    const environment = functionEnvironment({
      stage: stage.name,
      tableNames: {
        pets: pets.tableName,
        apiKeys: apiKeys.tableName,
        idempotency: idempotency.tableName,
      },
      shards: stage.shards,
      writtenShards: stage.writtenShards,
      idsPerLease: stage.idsPerLease,
    });
    const readApiKey = new PolicyStatement({
      actions: ['dynamodb:GetItem'],
      resources: [apiKeys.tableArn],
    });
    const tableArns = { pets: pets.tableArn, idempotency: idempotency.tableArn };
    const addFunction = (name: OperationName | 'fallback') => {
      const access = name === 'fallback' ? [] : operations[name].access;
      const statements = [readApiKey, ...access.map((each) => allow(each, tableArns[each.table]))];
      return new ApiFunction(this, name, { name, stage, environment, statements }).function;
    };
    const api = new PetStoreApi(this, 'Api', { stageName: stage.name, addFunction });

    new CfnOutput(this, outputNames.baseAddress, { value: api.urlForPath(basePath) });
    new CfnOutput(this, outputNames.petsTable, { value: pets.tableName });
    new CfnOutput(this, outputNames.apiKeysTable, { value: apiKeys.tableName });
    new CfnOutput(this, outputNames.idempotencyTable, { value: idempotency.tableName });
  }
}

/** Exact where `table.grant…` adds more actions, every index and all items. */
function allow(access: TableAccess, tableArn: string): PolicyStatement {
  const resource = 'index' in access ? `${tableArn}/index/${access.index}` : tableArn;
  return new PolicyStatement({
    actions: [`dynamodb:${access.action}`],
    resources: [resource],
    ...('partitionKey' in access && {
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [access.partitionKey] },
        // ForAllValues is true of no values at all.
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    }),
  });
}
