import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { basePath } from '../lib/operations.ts';
import { mapTables } from '../lib/tables.ts';
import { AccessLog } from './core/AccessLog.ts';
import { addApiFunctions } from './core/addApiFunctions.ts';
import { PetStoreApi } from './core/PetStoreApi.ts';
import type { Artifacts } from './core/ServiceFunction.ts';
import { ServiceTable } from './core/ServiceTable.ts';
import { shiftTrafficLast } from './core/shiftTrafficLast.ts';
import { baseAddressOutput, tableConstruct } from './core/stackNames.ts';
import { ApiDomain } from './parts/domain/ApiDomain.ts';
import { Firewall } from './parts/firewall/Firewall.ts';
import { firewallSignals } from './parts/firewall/firewallSignals.ts';
import { addMonitoring } from './parts/monitoring/addMonitoring.ts';
import { Releases, releaseSignals } from './parts/releases/Releases.ts';
import { environmentOf, hasAlarms, type Stage } from './stageSchema.ts';

type PetStoreStackProps = { stage: Stage; artifacts: Artifacts };

/** One deployment of the pet store: its core, and the parts that its settings name. */
export class PetStoreStack extends Stack {
  constructor(scope: Construct, id: string, { stage, artifacts }: PetStoreStackProps) {
    super(scope, id, {
      description: `The pet store service, stage ${stage.name}`,
      env: environmentOf(stage.account),
      terminationProtection: stage.isDurable,
      // CloudFormation copies these tags to every resource, so that bills can be split by stage.
      tags: { Project: 'PetStore', Stage: stage.name },
    });
    // The core.
    const tables = mapTables(
      (name) => new ServiceTable(this, tableConstruct(name), { name, stage }),
    );
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

    // The parts.
    const domain = stage.domain && new ApiDomain(this, 'Domain', { api, domain: stage.domain });
    const baseAddress = domain?.baseAddress ?? api.urlForPath(basePath);
    const firewall = stage.firewall && new Firewall(this, 'Firewall', { api, ...stage.firewall });
    if (!firewall) {
      const reason = 'This stage has no firewall.';
      Validations.of(api.deploymentStage).acknowledge({ id: 'AwsSolutions-APIG3', reason });
    }
    const { trafficShift } = stage;
    const releases =
      trafficShift && new Releases(this, 'Releases', { stage, trafficShift, artifacts, functions });
    // A stage with alarms always has the access log, because `checkMonitoring` demands it.
    if (accessLog && hasAlarms(stage)) {
      addMonitoring(this, {
        ...{ stage, artifacts, tables, functions, accessLog, api, domain, baseAddress },
        signals: [
          firewall && firewallSignals(firewall),
          releases && releaseSignals(releases, stage.name),
        ],
      });
    }

    new CfnOutput(this, baseAddressOutput, { value: baseAddress });
    shiftTrafficLast(this, functions);
  }
}
