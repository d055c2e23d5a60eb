import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { apiKeysTable, idempotencyTable, petsTable } from '../lib/dynamodb/tables.ts';
import { basePath, operations, type TableAccess } from '../lib/operations.ts';
import { AccessLog } from './constructs/AccessLog.ts';
import { AlarmTopic } from './constructs/AlarmTopic.ts';
import { ApiDomain } from './constructs/ApiDomain.ts';
import { Backups } from './constructs/Backups.ts';
import { DefinedTable } from './constructs/DefinedTable.ts';
import { FailureNotice } from './constructs/FailureNotice.ts';
import { Firewall } from './constructs/Firewall.ts';
import { LiveFunction, type LiveFunctionName } from './constructs/LiveFunction.ts';
import { PetStoreApi } from './constructs/PetStoreApi.ts';
import { Releases } from './constructs/Releases.ts';
import { ServiceAlarms } from './constructs/ServiceAlarms.ts';
import { ServiceDashboard } from './constructs/ServiceDashboard.ts';
import { watchedTable } from './constructs/watchedTable.ts';
import type { DeploymentContext } from './deploymentContext.ts';
import { functionEnvironment } from './functionEnvironment.ts';
import { outputNames, type Stage } from './stages.ts';

type PetStoreStackProps = { stage: Stage; context: DeploymentContext };

/** One deployment of the pet store: its tables, its functions, the API before them, and its watch. */
export class PetStoreStack extends Stack {
  constructor(scope: Construct, id: string, { stage, context }: PetStoreStackProps) {
    super(scope, id, {
      description: `The pet store service, stage ${stage.name}`,
      terminationProtection: stage.isDurable,
    });
    const { isDurable, tableCeiling: ceiling } = stage;
    const { without, hasFault, alarmEmail } = context;
    if (hasFault && !stage.allowsFault) throw new Error(`${stage.name} takes no fault.`);

    const pets = new DefinedTable(this, 'Pets', {
      definition: petsTable,
      isDurable,
      // In staging too: that is where a restore is practised.
      isRestorable: true,
      ceiling,
    });
    const apiKeys = new DefinedTable(this, 'ApiKeys', {
      definition: apiKeysTable,
      isDurable,
      isRestorable: isDurable,
      ceiling,
    });

    // What it holds lives for a day: to lose it costs the clients of that day their safe retries.
    const idempotency = new DefinedTable(this, 'Idempotency', {
      definition: idempotencyTable,
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
      hasFault,
    });
    const readApiKey = new PolicyStatement({
      actions: ['dynamodb:GetItem'],
      resources: [apiKeys.tableArn],
    });
    const tableArns = { pets: pets.tableArn, idempotency: idempotency.tableArn };
    const isTraced = !without.has('tracing');
    const functions: LiveFunction[] = [];
    const addFunction = (name: LiveFunctionName) => {
      const access = name === 'fallback' ? [] : operations[name].access;
      const statements = [readApiKey, ...access.map((each) => allow(each, tableArns[each.table]))];
      const live = new LiveFunction(this, name, { name, stage, environment, statements, isTraced });
      functions.push(live);
      return live.target;
    };
    const accessLog = without.has('accessLogs')
      ? undefined
      : new AccessLog(this, 'AccessLog', { stage });
    const domain = context.domainOf(stage);
    const firewall = without.has('waf') ? undefined : stage.firewall;
    const retentionDays = without.has('backup') ? undefined : stage.backupRetentionDays;
    const api = new PetStoreApi(this, 'Api', {
      stage,
      hasCustomDomain: domain !== undefined,
      hasFirewall: firewall !== undefined,
      addFunction,
      accessLog,
      isTraced,
    });
    if (domain) new ApiDomain(this, 'Domain', { api, domain });
    if (firewall) new Firewall(this, 'Firewall', { stage: api.deploymentStage, ...firewall });
    const backups =
      retentionDays &&
      new Backups(this, 'Backups', {
        tableArns: [pets.tableArn, apiKeys.tableArn],
        retentionDays,
      });

    const hasAlarms = !without.has('alarms');
    const releases = without.has('codeDeploy')
      ? undefined
      : new Releases(this, 'Releases', {
          stage,
          // The drill is to show how a canary dies, also where releases go without one.
          trafficShift: hasFault ? 'canary' : stage.trafficShift,
          functions,
          environment,
          hasAlarms,
        });
    if (hasAlarms) {
      const topic = new AlarmTopic(this, 'AlarmTopic', { alarmEmail });
      const watched = {
        apiStage: api.deploymentStage,
        functions,
        tables: [
          watchedTable({ table: pets, definition: petsTable, accessedAs: 'pets' }),
          watchedTable({ table: apiKeys, definition: apiKeysTable, accessedAs: 'apiKeys' }),
          watchedTable({
            table: idempotency,
            definition: idempotencyTable,
            accessedAs: 'idempotency',
          }),
        ],
      };
      new ServiceAlarms(this, 'Alarms', { ...watched, topic });
      if (releases) {
        const owner = releases.application.applicationName;
        new FailureNotice(this, 'ReleaseFailures', { stage, of: 'release', owner, topic });
      }
      if (backups) {
        const owner = backups.vault.backupVaultName;
        new FailureNotice(this, 'BackupFailures', { stage, of: 'backup', owner, topic });
      }
      new ServiceDashboard(this, 'Dashboard', { ...watched, stage, accessLog });
    }

    new CfnOutput(this, outputNames.baseAddress, {
      value: domain ? `https://${domain.name}${basePath}` : api.urlForPath(basePath),
    });
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
