import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type CfnAlarm,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { QueryName } from '../../core/addSavedQueries.ts';
import type { heartbeatQuery } from './Heartbeat.ts';

/** Whether a message is worth waking an operator, or can wait until the morning. */
type Urgency = 'high' | 'low';

export type AlarmProps = {
  name: string;
  /** One or two sentences for an operator on call: the problem, and who is affected. */
  impact: string;
  /** The saved query to begin with. */
  query?: QueryName | typeof heartbeatQuery;
  /** The heading of a section in the runbook. */
  section: string;
  /** Absent: the alarm tells no operator, because CloudFormation monitors it. */
  urgency?: Urgency;
  metric: IMetric;
  /** The alarm is in ALARM when the metric reaches this value … */
  threshold: number;
  /** … in this number of periods … */
  periods?: number;
  /** … out of this number. By default the periods must be consecutive. */
  outOf?: number;
  /**
   * Whether the metric must reach the threshold: the alarm is in ALARM below it, and without data.
   * Without FILL in the metric's expression, CloudWatch would replace a missing period by an older
   * one, and the alarm would be late.
   */
  isRequired?: boolean;
};

export type Receivers = {
  topic: ITopic;
  /** The address of docs/runbook.md. */
  runbook: string;
};

/** An alarm that says what is wrong, whether it is urgent, and where to read what to do. */
export class ServiceAlarm extends Alarm {
  constructor(scope: Construct, props: AlarmProps, { topic, runbook }: Receivers) {
    const { name, impact, query, section, urgency, metric, threshold, isRequired } = props;
    const { periods = 1, outOf = periods } = props;
    const advice = {
      high: 'Urgent: respond now. ',
      low: 'Not urgent: this can wait until the morning. ',
    };
    const { stackName } = Stack.of(scope);
    const start = query ? `Query: ${stackName}/${query}. ` : '';
    const anchor = section.toLowerCase().replaceAll(' ', '-');
    super(scope, name, {
      alarmName: `${stackName}-${name}`,
      alarmDescription: `${impact} ${urgency ? advice[urgency] : ''}${start}Runbook: ${runbook}#${anchor}`,
      metric,
      threshold,
      comparisonOperator: isRequired
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: outOf,
      datapointsToAlarm: periods,
      // A service without requests is not broken.
      treatMissingData: isRequired ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (urgency) {
      const action = new SnsAction(topic);
      this.addAlarmAction(action);
      this.addOkAction(action);
    }
    if (!isRequired) return;
    // While the stack is created, there is no data, and the API does not respond yet. CloudWatch begins a
    // warm-up after each update of the alarm too.
    // `Alarm` has no property for this setting yet.
    (this.node.defaultChild as CfnAlarm).warmUpConfiguration = {
      warmUpPeriodDurationInMinutes: 15,
      // By default the first data end the warm-up, and FILL gives the expression data at once.
      onlyStartEvaluatingAfterWarmUpPeriodEnds: true,
    };
  }
}
