import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * What a part shows to the operators. The monitoring makes alarms and a graph of it.
 *
 * It is in the core because the firewall and the monitoring need it, and no part imports another.
 */
export type Signals = {
  alarms?: readonly AlarmProps[];
  /** Series in the graph of the requests at the gateway. */
  requests?: readonly IMetric[];
};

/** Whether a message is worth waking an operator, or can wait until the morning. */
export type Urgency = 'high' | 'low';

export type AlarmProps = {
  name: string;
  /** One or two sentences for an operator on call: the problem, and who is affected. */
  impact: string;
  /** The heading of a section in the runbook. */
  runbook: string;
  /** Absent: the alarm tells no operator, because a composite alarm or CloudFormation watches it. */
  urgency?: Urgency;
  metric: IMetric;
  /** The alarm goes off when the metric reaches this value … */
  threshold: number;
  /** … in this number of periods … */
  periods?: number;
  /** … out of this number. By default the periods must be consecutive. */
  outOf?: number;
  /**
   * Whether the metric must reach the threshold. If so, the alarm goes off below the threshold and without data.
   *
   * The metric's expression needs FILL. Otherwise CloudWatch replaces a missing period by an older one, and the
   * alarm is late.
   */
  isRequired?: boolean;
};
