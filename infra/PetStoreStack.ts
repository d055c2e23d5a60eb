import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { apiKeysTable, idempotencyTable, petsTable } from '../lib/dynamodb/tables.ts';
import { basePath, operationEntries, operations, type TableAccess } from '../lib/operations.ts';
import { AccessLog } from './constructs/AccessLog.ts';
import { ApiDomain } from './constructs/ApiDomain.ts';
import { AlarmTopic, FailureNotice } from './constructs/alerts.ts';
import { Backups } from './constructs/Backups.ts';
import { CostBudget } from './constructs/CostBudget.ts';
import { DeprecatedCallers } from './constructs/DeprecatedCallers.ts';
import { Firewall } from './constructs/Firewall.ts';
import { Heartbeat } from './constructs/Heartbeat.ts';
import { PetStoreApi } from './constructs/PetStoreApi.ts';
import { Releases } from './constructs/Releases.ts';
import { ServiceAlarms } from './constructs/ServiceAlarms.ts';
import { ServiceDashboard } from './constructs/ServiceDashboard.ts';
import { ApiFunction, type ApiFunctionName } from './constructs/ServiceFunction.ts';
import { onlyKeysLike, ServiceTable } from './constructs/ServiceTable.ts';
import { TraceSampling } from './constructs/TraceSampling.ts';
import type { DeploymentContext } from './deploymentContext.ts';
import { functionEnvironment } from './functionEnvironment.ts';
import { environmentOf, outputNames, type Stage } from './stages.ts';

type PetStoreStackProps = { stage: Stage; context: DeploymentContext };

/** One deployment of the pet store: tables, functions, API, releases and monitoring. */
export class PetStoreStack extends Stack {
  constructor(scope: Construct, id: string, { stage, context }: PetStoreStackProps) {
    super(scope, id, {
      description: `The pet store service, stage ${stage.name}`,
      env: environmentOf(stage.account),
      terminationProtection: stage.isDurable,
      // CloudFormation copies them to every resource, for the allocation of costs.
      tags: { Project: 'PetStore', Stage: stage.name },
    });
    const { isDurable, tableCeiling: ceiling, domain } = stage;
    const { without, hasFault } = context;
    if (hasFault && !stage.allowsFault) {
      throw new Error(`The stage ${stage.name} cannot be deployed with the context "fault=on".`);
    }

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
    const isTraced = !without.has('tracing');
    const functions: ApiFunction[] = [];
    const addFunction = (name: ApiFunctionName) => {
      const access = name === 'fallback' ? [] : operations[name].access;
      const statements = [readApiKey, ...access.map((each) => allow(each, tableArns[each.table]))];
      const added = new ApiFunction(this, name, { name, stage, environment, statements, isTraced });
      functions.push(added);
      return added.target;
    };

    const accessLog = without.has('accessLogs')
      ? undefined
      : // A new id: the log `AccessLog` had another class, which CloudWatch cannot change.
        new AccessLog(this, 'AccessLogs', { stage });
    const firewall = without.has('waf') ? undefined : stage.firewall;
    const api = new PetStoreApi(this, 'Api', {
      stage,
      hasCustomDomain: domain !== undefined,
      hasFirewall: firewall !== undefined,
      addFunction,
      accessLog,
      isTraced,
    });
    if (isTraced) new TraceSampling(this, 'TraceSampling', { stage });
    if (domain) new ApiDomain(this, 'Domain', { api, domain });
    if (firewall) new Firewall(this, 'Firewall', { apiStage: api.deploymentStage, ...firewall });

    const baseAddress = domain ? `https://${domain.name}${basePath}` : api.urlForPath(basePath);

    const retentionDays = without.has('backup') ? undefined : stage.backupRetentionDays;
    const backups = retentionDays
      ? new Backups(this, 'Backups', {
          tableArns: [pets.tableArn, apiKeys.tableArn],
          retentionDays,
        })
      : undefined;
    const hasAlarms = !without.has('alarms');
    const releases = without.has('codeDeploy')
      ? undefined
      : new Releases(this, 'Releases', {
          stage,
          // The rollback drill shows how a canary fails, also in a stage that releases without one.
          trafficShift: hasFault ? 'canary' : stage.trafficShift,
          functions,
          hasAlarms,
        });

    if (hasAlarms) {
      const topic = new AlarmTopic(this, 'AlarmTopic', { stage });
      const tables = [pets, apiKeys, idempotency];
      const monitored = { apiStage: api.deploymentStage, functions, tables };
      new ServiceAlarms(this, 'Alarms', { ...monitored, vault: backups?.vault, topic });
      new Heartbeat(this, 'Heartbeat', { stage, baseAddress, topic });
      new CostBudget(this, 'Budget', { stage, topic });
      if (releases) {
        const owner = releases.application.applicationName;
        new FailureNotice(this, 'ReleaseFailures', { stage, of: 'release', owner, topic });
      }
      if (backups) {
        const owner = backups.vault.backupVaultName;
        new FailureNotice(this, 'BackupFailures', { stage, of: 'backup', owner, topic });
      }
      new DeprecatedCallers(this, 'DeprecatedCallers', { functions });
      new ServiceDashboard(this, 'Dashboard', { ...monitored, stage, accessLog });
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
