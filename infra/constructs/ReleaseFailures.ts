import type { LambdaApplication } from 'aws-cdk-lib/aws-codedeploy';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { runbookLink } from '../runbookLink.ts';
import type { Stage } from '../stages.ts';

type ReleaseFailuresProps = { stage: Stage; application: LambdaApplication; topic: ITopic };

/**
 * Tells of each release that CodeDeploy turned back or gave up.
 *
 * It is a rule and not an alarm: CodeDeploy publishes no metric, and a failed release is an event. An
 * alarm made of it would say five minutes later that all is well.
 */
export class ReleaseFailures extends Rule {
  constructor(scope: Construct, id: string, { stage, application, topic }: ReleaseFailuresProps) {
    super(scope, id, {
      description: `Tells of failed releases of ${stage.name}`,
      eventPattern: {
        source: ['aws.codedeploy'],
        detailType: ['CodeDeploy Deployment State-change Notification'],
        // A deployment that an alarm or an operator ends is stopped, not failed.
        detail: { state: ['FAILURE', 'STOP'], application: [application.applicationName] },
      },
    });
    const deployment = EventField.fromPath('$.detail.deploymentId');
    const group = EventField.fromPath('$.detail.deploymentGroup');
    const state = EventField.fromPath('$.detail.state');
    this.addTarget(
      new SnsTopic(topic, {
        message: RuleTargetInput.fromText(
          `Release of ${stage.name}: deployment ${deployment} of ${group} ended with ${state}. Clients keep, or get back, the version before. ${runbookLink('Release failed')}`,
        ),
      }),
    );
  }
}
