import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { functionEnvironment } from '../lib/config.ts';
import { basePath, operations, type TableAccess } from '../lib/operations.ts';
import { mapTables } from '../lib/tables.ts';
import { AccessLog } from './core/AccessLog.ts';
import { apiFunctionNames } from './core/apiMethods.ts';
import { PetStoreApi } from './core/PetStoreApi.ts';
import { ApiFunction, type Artifacts } from './core/ServiceFunction.ts';
import { ServiceTable } from './core/ServiceTable.ts';
import { shiftTrafficLast } from './core/shiftTrafficLast.ts';
import {
  alarmTopicOutput,
  baseAddressOutput,
  tableConstruct,
  unusedSidPrefix,
} from './core/stackNames.ts';
import { ApiDomain } from './parts/domain/ApiDomain.ts';
import { Firewall } from './parts/firewall/Firewall.ts';
import { AlarmTopic } from './parts/monitoring/AlarmTopic.ts';
import { addDashboardWidgets } from './parts/monitoring/addDashboardWidgets.ts';
import { addServiceAlarms } from './parts/monitoring/addServiceAlarms.ts';
import { Heartbeat } from './parts/monitoring/Heartbeat.ts';
import { ServiceMonitoring } from './parts/monitoring/ServiceMonitoring.ts';
import { addReleaseNotices } from './parts/releases/addReleaseNotices.ts';
import { Releases } from './parts/releases/Releases.ts';
import { environmentOf, hasAlarms, type Stage } from './stageSchema.ts';

type PetStoreStackProps = { stage: Stage; artifacts: Artifacts };

/** One deployment of the pet store: tables, functions, API, releases and monitoring. */
export class PetStoreStack extends Stack {
  constructor(scope: Construct, id: string, { stage, artifacts }: PetStoreStackProps) {
    super(scope, id, {
      description: `The pet store service, stage ${stage.name}`,
      env: environmentOf(stage.account),
      terminationProtection: stage.isDurable,
      // CloudFormation copies these tags to every resource, so that bills can be split by stage.
      tags: { Project: 'PetStore', Stage: stage.name },
    });
    const { domain, accessLogRetentionDays: retentionDays } = stage;

    const tables = mapTables(
      (name) => new ServiceTable(this, tableConstruct(name), { name, stage }),
    );
    const environment = functionEnvironment({
      ...stage,
      stage: stage.name,
      tableNames: mapTables((name) => tables[name].tableName),
    });
    const readApiKey = new PolicyStatement({
      actions: ['dynamodb:GetItem'],
      resources: [tables.apiKeys.tableArn],
    });
    const functions = apiFunctionNames().map((name) => {
      const accesses = name === 'fallback' ? [] : operations[name].access;
      const tableStatements = accesses.map((each: TableAccess, index) =>
        allow(each, tables[each.table].tableArn, index),
      );
      const statements = [readApiKey, ...tableStatements];
      return new ApiFunction(this, name, { name, stage, artifacts, environment, statements });
    });

    const accessLog =
      retentionDays === 'none'
        ? undefined
        : new AccessLog(this, 'AccessLog', { stage, retentionDays });
    const logging = accessLog?.stageOptions;
    const api = new PetStoreApi(this, 'Api', { stage, functions, logging });
    const apiDomain = domain ? new ApiDomain(this, 'Domain', { api, domain }) : undefined;
    const firewall = stage.firewall
      ? new Firewall(this, 'Firewall', { apiStage: api.deploymentStage, ...stage.firewall })
      : undefined;
    const baseAddress = domain ? `https://${domain.name}${basePath}` : api.urlForPath(basePath);
    const releases = stage.trafficShift
      ? new Releases(this, 'Releases', { stage, artifacts, functions })
      : undefined;

    // A stage with alarms always has the access log, because `checkStages` demands it.
    if (accessLog && hasAlarms(stage)) {
      const topic = new AlarmTopic(this, 'AlarmTopic', { recipient: stage.alarmRecipient });
      const { lowUrgencyRecipient: recipient } = stage;
      const lowUrgencyTopic = recipient && new AlarmTopic(this, 'LowUrgencyTopic', { recipient });
      const topics = { high: topic, low: lowUrgencyTopic ?? topic };
      const monitored = {
        stage,
        api,
        responses: accessLog.addResponseMetrics(stage.name),
        firewall,
        functions,
        tables: Object.values(tables),
        topics,
      };
      const monitoring = new ServiceMonitoring(this, 'Monitoring', monitored);
      addServiceAlarms(monitoring, monitored);
      const heartbeat = new Heartbeat(this, 'Heartbeat', {
        stage,
        artifacts,
        baseAddress,
        monitoring,
      });
      // No heartbeat succeeds before the domain exists, which takes minutes. So the alarms are created after it.
      if (apiDomain) {
        heartbeat.node.addDependency(apiDomain);
        monitoring.node.addDependency(apiDomain);
      }
      addDashboardWidgets(monitoring, monitored);
      if (releases) {
        const { applicationName } = releases.application;
        addReleaseNotices(this, { stage, applicationName, topics });
      }
      new CfnOutput(this, alarmTopicOutput, { value: topic.topicArn });
    }

    new CfnOutput(this, baseAddressOutput, { value: baseAddress });
    shiftTrafficLast(this, functions);
  }
}

/** Allows exactly one access. `table.grant…` would add more actions, every index and all items. */
function allow(access: TableAccess, tableArn: string, index: number): PolicyStatement {
  const keys = access.action !== 'Query' && access.partitionKey;
  return new PolicyStatement({
    // `npm run check:update` recognizes unused permissions by the `Sid`. The index makes it unique in the policy.
    ...(access.isUnused && { sid: `${unusedSidPrefix}${index}` }),
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
