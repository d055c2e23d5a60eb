import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { runbookLink } from '../runbookLink.ts';

type ServiceAlarmProps = {
  /** What is wrong and whom it hurts, in one or two sentences for somebody who was woken up. */
  impact: string;
  /** The heading in the runbook. */
  runbook: string;
  metric: IMetric;
  /** The alarm goes off when the metric reaches it … */
  threshold: number;
  /** … in so many periods … */
  periods?: number;
  /** … out of so many. Without it they have to follow upon each other. */
  outOf?: number;
  /** Who is told. Without one the alarm is for CodeDeploy to watch. */
  topic?: ITopic;
  /** The end of its name. Where it changes, a new alarm takes the place of the old one. */
  nameEnding?: string;
};

/** An alarm that says what it means, whom it hurts and where to read on. */
export class ServiceAlarm extends Alarm {
  constructor(scope: Construct, id: string, props: ServiceAlarmProps) {
    const { impact, runbook, metric, threshold, topic, nameEnding = '' } = props;
    const { periods = 1, outOf = periods } = props;
    super(scope, id, {
      // The subject of a mail, and what `describe-alarms --alarm-name-prefix` finds.
      alarmName: `${Stack.of(scope).stackName}-${id}${nameEnding}`,
      alarmDescription: `${impact} ${runbookLink(runbook)}`,
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: outOf,
      datapointsToAlarm: periods,
      // A service that nobody calls is not a broken one.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (topic) {
      this.addAlarmAction(new SnsAction(topic));
      this.addOkAction(new SnsAction(topic));
    }
  }
}
