import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import type { Construct } from 'constructs';
import { type Stage, stackName } from '../stages.ts';

/** Before the default rule of an account (10,000), which records a request a second and 5 %. */
const priority = 100;

/**
 * X-Ray records a share of the requests to a stage.
 *
 * The API decides, and the functions follow its decision. X-Ray is billed by the trace; the log lines
 * have the duration of every request.
 */
export class TraceSampling extends CfnSamplingRule {
  constructor(scope: Construct, id: string, { stage }: { stage: Stage }) {
    super(scope, id, {
      samplingRule: {
        ruleName: stackName(stage.name),
        version: 1,
        priority,
        reservoirSize: 0,
        fixedRate: stage.tracedShare,
        // `<name of the API>/<name of its stage>`
        serviceName: `${stackName(stage.name)}/${stage.name}`,
        serviceType: 'AWS::ApiGateway::Stage',
        resourceArn: '*',
        host: '*',
        httpMethod: '*',
        urlPath: '*',
      },
    });
  }
}
