import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** What a part shows to the operators. The monitoring makes alarms and a graph of it. */
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
  /** The heading in the runbook. */
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

/**
 * Points to a section of the runbook, by the anchor that Git hosts derive from its heading.
 *
 * The path is relative, because a fork has its own address and an operator may only have a clone.
 */
export function runbookLink(heading: string): string {
  return `Runbook: docs/runbook.md#${heading.toLowerCase().replaceAll(' ', '-')}`;
}
