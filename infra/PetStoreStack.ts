import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import {
  basePath,
  type OperationName,
  operations,
  type PetsTableAccess,
} from '../lib/operations.ts';
import { apiKeysTable, petsTable } from '../lib/tables.ts';
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

    const environment = functionEnvironment({
      stage: stage.name,
      petsTableName: pets.tableName,
      apiKeysTableName: apiKeys.tableName,
      shards: stage.shards,
    });
    const readApiKey = new PolicyStatement({
      actions: ['dynamodb:GetItem'],
      resources: [apiKeys.tableArn],
    });
    const addFunction = (name: OperationName | 'fallback') => {
      const access = name === 'fallback' ? [] : operations[name].access;
      const statements = [readApiKey, ...access.map((each) => allow(each, pets.tableArn))];
      return new ApiFunction(this, name, { name, stage, environment, statements }).function;
    };
    const api = new PetStoreApi(this, 'Api', { stageName: stage.name, addFunction });

    new CfnOutput(this, outputNames.baseAddress, { value: api.urlForPath(basePath) });
    new CfnOutput(this, outputNames.petsTable, { value: pets.tableName });
    new CfnOutput(this, outputNames.apiKeysTable, { value: apiKeys.tableName });
  }
}

/** Exact where `table.grant…` adds more actions, every index and all items. */
function allow(access: PetsTableAccess, tableArn: string): PolicyStatement {
  const actions = [`dynamodb:${access.action}`];
  if (access.action === 'Query') {
    return new PolicyStatement({ actions, resources: [`${tableArn}/index/${access.index}`] });
  }
  return new PolicyStatement({
    actions,
    resources: [tableArn],
    conditions: {
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [access.partitionKey] },
      // ForAllValues is true of no values at all.
      Null: { 'dynamodb:LeadingKeys': 'false' },
    },
  });
}
