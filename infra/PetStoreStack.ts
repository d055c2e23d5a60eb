import { CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { basePath } from '../lib/operations.ts';
import { AccessLog } from './core/AccessLog.ts';
import { addApiFunctions } from './core/addApiFunctions.ts';
import { addSavedQueries } from './core/addSavedQueries.ts';
import { PetStoreApi } from './core/PetStoreApi.ts';
import type { Artifacts } from './core/ServiceFunction.ts';
import { importTables } from './core/ServiceTable.ts';
import { baseAddressOutput } from './core/stackNames.ts';
import { ApiDomain } from './parts/domain/ApiDomain.ts';
import { Firewall } from './parts/firewall/Firewall.ts';
import { addMonitoring } from './parts/monitoring/addMonitoring.ts';
import type { Stage } from './stageSchema.ts';

type PetStoreStackProps = StackProps & {
  stage: Stage;
  artifacts: Artifacts;
};

/** The service of a stage: its core, and the parts that its settings name. `TablesStack` has its tables. */
export class PetStoreStack extends Stack {
  constructor(scope: Construct, id: string, { stage, artifacts, ...props }: PetStoreStackProps) {
    super(scope, id, { ...props, description: `The pet store service, stage ${stage.name}` });
    const tables = importTables(this, stage.name);
    const functions = addApiFunctions(this, { stage, artifacts, tables });
    const { accessLogRetentionDays: retentionDays } = stage;
    const accessLog =
      retentionDays === 'none'
        ? undefined
        : new AccessLog(this, 'AccessLog', { stage, retentionDays });
    const api = new PetStoreApi(this, 'Api', {
      stage,
      functions,
      logging: accessLog?.stageOptions,
    });
    if (accessLog) {
      addSavedQueries(this, {
        access: [accessLog],
        functions: functions.map((each) => each.function.logGroup),
      });
    }

    const domain = stage.domain && new ApiDomain(this, 'Domain', { api, domain: stage.domain });
    const baseAddress = domain?.baseAddress ?? api.urlForPath(basePath);
    const firewall = stage.firewall && new Firewall(this, 'Firewall', { api, ...stage.firewall });
    if (!firewall) {
      const reason = 'This stage has no firewall.';
      Validations.of(api.deploymentStage).acknowledge({ id: 'AwsSolutions-APIG3', reason });
    }
    // A stage with monitoring always has the access log, because `checkMonitoring` demands it.
    if (accessLog && stage.monitoring) {
      const heartbeat = addMonitoring(this, {
        stage,
        artifacts,
        tables,
        functions,
        accessLog,
        api,
        baseAddress,
        firewallRules: firewall?.ruleNames ?? [],
        daysToExpiry: domain?.daysToExpiry,
        recipient: stage.monitoring.recipient,
        repository: stage.githubRepository,
      });
      // No heartbeat succeeds before the domain exists, which takes minutes. Its alarm refers to its function.
      if (domain) heartbeat.node.addDependency(domain);
    }

    new CfnOutput(this, baseAddressOutput, { value: baseAddress });
  }
}
