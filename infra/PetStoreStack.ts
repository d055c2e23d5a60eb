import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { basePath, type OperationName } from '../lib/operations.ts';
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
    const readApiKey = allow('dynamodb:GetItem', apiKeys.tableArn);
    const readPet = allow('dynamodb:GetItem', pets.tableArn, ['PET#*']);
    const addFunction = (name: OperationName | 'fallback', statements: PolicyStatement[]) =>
      new ApiFunction(this, name, {
        name,
        stage,
        environment,
        statements: [readApiKey, ...statements],
      }).function;

    const api = new PetStoreApi(this, 'Api', {
      stageName: stage.name,
      functions: {
        listPets: addFunction('listPets', [
          allow('dynamodb:Query', `${pets.tableArn}/index/byStatus`),
        ]),
        createPet: addFunction('createPet', [
          allow('dynamodb:UpdateItem', pets.tableArn, ['COUNTER']),
          allow('dynamodb:PutItem', pets.tableArn, ['PET#*']),
          readPet,
        ]),
        getPet: addFunction('getPet', [readPet]),
        fallback: addFunction('fallback', []),
      },
    });

    new CfnOutput(this, outputNames.baseAddress, { value: api.urlForPath(basePath) });
    new CfnOutput(this, outputNames.petsTable, { value: pets.tableName });
    new CfnOutput(this, outputNames.apiKeysTable, { value: apiKeys.tableName });
  }
}

/**
 * Allows one action on one table or index, and on items of certain partition keys alone.
 *
 * `table.grant…` would add more actions and every index.
 */
function allow(action: string, resource: string, partitionKeys?: string[]): PolicyStatement {
  return new PolicyStatement({
    actions: [action],
    resources: [resource],
    ...(partitionKeys && {
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitionKeys },
        // ForAllValues is true of no values at all.
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    }),
  });
}
