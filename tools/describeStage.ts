import { existsSync, readFileSync } from 'node:fs';
import { tablesStackName } from '../infra/core/stackNames.ts';
import { hasAlarms, type Stage } from '../infra/stageSchema.ts';
import { stageOrSandbox } from '../infra/stages.ts';

type Throughput = {
  OnDemandThroughput: { MaxReadRequestUnits: number; MaxWriteRequestUnits: number };
};

/** The properties of a table in a template. */
type TableProperties = Throughput & {
  TableName: string;
  DeletionProtectionEnabled: boolean;
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: boolean };
  TimeToLiveSpecification?: { AttributeName: string };
  GlobalSecondaryIndexes?: Throughput[];
};

/** Returns what `checkDeployed.sh` expects of a stage, as variables of the shell. An empty one means no. */
export function describeStage(stage: Stage): string {
  const { alarmRecipient, lowUrgencyRecipient, corsOrigins, accessLogRetentionDays } = stage;
  const topics = lowUrgencyRecipient ? 2 : 1;
  const variables = {
    ORIGIN: corsOrigins?.[0],
    HAS_FIREWALL: stage.firewall && 'yes',
    HAS_ACCESS_LOG: accessLogRetentionDays !== 'none' && 'yes',
    HAS_ALARMS: hasAlarms(stage) && 'yes',
    // The confirmed subscriptions of each topic
    SUBSCRIPTIONS: Array(topics)
      .fill(alarmRecipient && 'none' in alarmRecipient ? '[0-9]+' : '[1-9][0-9]*')
      .join(' '),
    EXPECTED_TABLES: describeTables(stage.name),
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${value || ''}'\n`)
    .join('');
}

/** Returns a line for each table: its name, and what its template says. A sandbox has no committed template. */
function describeTables(stageName: string): string {
  const file = new URL(`../infra/templates/${tablesStackName(stageName)}.json`, import.meta.url);
  if (!existsSync(file)) return '';
  const { Resources } = JSON.parse(readFileSync(file, 'utf8')) as {
    Resources: Record<string, { Properties: TableProperties }>;
  };
  return Object.values(Resources)
    .map(({ Properties }) => Properties)
    .map((table) => {
      const { PointInTimeRecoverySpecification: recovery, TimeToLiveSpecification: expiry } = table;
      const ceilings = [table, ...(table.GlobalSecondaryIndexes ?? [])].map(
        ({ OnDemandThroughput: each }) =>
          `${each.MaxReadRequestUnits} ${each.MaxWriteRequestUnits}`,
      );
      return [
        table.TableName,
        `protection ${table.DeletionProtectionEnabled ? 'True' : 'False'}`,
        `ceilings ${ceilings.join(' ')}`,
        `recovery ${recovery.PointInTimeRecoveryEnabled ? 'ENABLED' : 'DISABLED'}`,
        `time to live ${expiry ? `ENABL(ED|ING) ${expiry.AttributeName}` : 'DISABLED None'}`,
      ].join(' ');
    })
    .join('\n');
}

if (import.meta.main) process.stdout.write(describeStage(stageOrSandbox(process.argv[2] ?? '')));
