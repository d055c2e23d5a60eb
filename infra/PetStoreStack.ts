import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { apiKeysTable, idempotencyTable, petsTable } from '../lib/dynamodb/tables.ts';
import { basePath, operationEntries, operations, type TableAccess } from '../lib/operations.ts';
import { AccessLog } from './constructs/AccessLog.ts';
import { AlarmTopic } from './constructs/AlarmTopic.ts';
import { ApiDomain } from './constructs/ApiDomain.ts';
import { addReleaseNotices } from './constructs/addReleaseNotices.ts';
import { addServiceAlarms } from './constructs/addServiceAlarms.ts';
import { Firewall } from './constructs/Firewall.ts';
import { Heartbeat } from './constructs/Heartbeat.ts';
import { PetStoreApi } from './constructs/PetStoreApi.ts';
import { Releases } from './constructs/Releases.ts';
import { ApiFunction, type Artifacts } from './constructs/ServiceFunction.ts';
import { ServiceMonitoring } from './constructs/ServiceMonitoring.ts';
import { ServiceTable } from './constructs/ServiceTable.ts';
import type { ApiFunctionName } from './definitions/apiMethods.ts';
import { functionEnvironment } from './definitions/functionEnvironment.ts';
import { environmentOf, outputNames, type Stage } from './stages.ts';

type PetStoreStackProps = { stage: Stage; artifacts: Artifacts };

/** One deployment of the pet store: tables, functions, API, releases and monitoring. */
export class PetStoreStack extends Stack {
  constructor(scope: Construct, id: string, { stage, artifacts }: PetStoreStackProps) {
    super(scope, id, {
      description: `The pet store service, stage ${stage.name}`,
      env: environmentOf(stage.account),
      terminationProtection: stage.isDurable,
      // CloudFormation copies them to every resource, for the allocation of costs.
      tags: { Project: 'PetStore', Stage: stage.name },
    });
    const { isDurable, tableCeiling: ceiling, domain } = stage;

    const pets = new ServiceTable(this, 'Pets', {
      definition: petsTable,
      actions: actionsOn('pets'),
      isDurable,
      // Staging too, so that operators can practise a restore there.
      isRestorable: true,
      ceiling,
    });
    const apiKeys = new ServiceTable(this, 'ApiKeys', {
      definition: apiKeysTable,
      // Every function reads the key of a request, before its operation starts.
      actions: ['GetItem'],
      isDurable,
      isRestorable: isDurable,
      ceiling,
    });
    const idempotency = new ServiceTable(this, 'Idempotency', {
      definition: idempotencyTable,
      actions: actionsOn('idempotency'),
      // Its items live for a day. Losing them only costs that day's safe retries.
      isDurable: false,
      isRestorable: false,
      ceiling,
    });

    const environment = functionEnvironment({
      stage: stage.name,
      tableNames: {
        pets: pets.tableName,
        apiKeys: apiKeys.tableName,
        idempotency: idempotency.tableName,
      },
      shards: stage.shards,
      writeShards: stage.writeShards,
      idsPerLease: stage.idsPerLease,
      corsOrigins: stage.corsOrigins,
    });
    const readApiKey = new PolicyStatement({
      actions: ['dynamodb:GetItem'],
      resources: [apiKeys.tableArn],
    });
    const tableArns = { pets: pets.tableArn, idempotency: idempotency.tableArn };
    const functions: ApiFunction[] = [];
    const addFunction = (name: ApiFunctionName) => {
      const access = name === 'fallback' ? [] : operations[name].access;
      const statements = [readApiKey, ...access.map((each) => allow(each, tableArns[each.table]))];
      const added = new ApiFunction(this, name, {
        name,
        stage,
        artifacts,
        environment,
        statements,
      });
      functions.push(added);
      return added.target;
    };

    const api = new PetStoreApi(this, 'Api', {
      stage,
      addFunction,
      // A new id: the log `AccessLog` had another class, which CloudWatch cannot change.
      accessLog: new AccessLog(this, 'AccessLogs', { stage }),
    });
    if (domain) new ApiDomain(this, 'Domain', { api, domain });
    const firewall = stage.firewall
      ? new Firewall(this, 'Firewall', { apiStage: api.deploymentStage, ...stage.firewall })
      : undefined;
    const baseAddress = domain ? `https://${domain.name}${basePath}` : api.urlForPath(basePath);
    const { application } = new Releases(this, 'Releases', { stage, artifacts, functions });

    if (isDurable || (stage.alarmRecipient && 'email' in stage.alarmRecipient)) {
      const topic = new AlarmTopic(this, 'AlarmTopic', { stage });
      const tables = [pets, apiKeys, idempotency];
      const monitored = { stage, api, firewall, functions, tables, topic };
      const monitoring = new ServiceMonitoring(this, 'Monitoring', monitored);
      addServiceAlarms(monitoring, { ...monitored, apiStage: api.deploymentStage });
      new Heartbeat(this, 'Heartbeat', { stage, artifacts, baseAddress, monitoring });
      addReleaseNotices(this, { stage, applicationName: application.applicationName, topic });
    }

    new CfnOutput(this, outputNames.baseAddress, { value: baseAddress });
    new CfnOutput(this, outputNames.petsTable, { value: pets.tableName });
    new CfnOutput(this, outputNames.apiKeysTable, { value: apiKeys.tableName });
    new CfnOutput(this, outputNames.idempotencyTable, { value: idempotency.tableName });
  }
}

/** Returns the DynamoDB operations that the operations of the interface call on a table. */
function actionsOn(table: TableAccess['table']): string[] {
  const accesses = operationEntries.flatMap(([, { access }]) => access);
  const actions = accesses.filter((each) => each.table === table).map(({ action }) => action);
  return [...new Set(actions)].sort();
}

/** Allows exactly one access. `table.grant…` would add more actions, every index and all items. */
function allow(access: TableAccess, tableArn: string): PolicyStatement {
  const resource = 'index' in access ? `${tableArn}/index/${access.index}` : tableArn;
  return new PolicyStatement({
    actions: [`dynamodb:${access.action}`],
    resources: [resource],
    ...('partitionKey' in access && { conditions: onlyKeysLike(access.partitionKey) }),
  });
}

/** Returns the conditions that limit a statement to the items whose partition key matches a pattern. */
function onlyKeysLike(pattern: string) {
  return {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [pattern] },
    // ForAllValues also matches a request without keys.
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
}
