import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { EventPattern } from 'aws-cdk-lib/aws-events';

/** What a part shows to the operators. The monitoring makes alarms, notices and a graph of it. */
export type Signals = {
  alarms?: readonly AlarmProps[];
  notices?: readonly NoticeProps[];
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
  /** Absent: the alarm is only part of a composite alarm, and tells no operator. */
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

/** An event that operators hear of, without an alarm that begins and ends. */
export type NoticeProps = {
  name: string;
  event: EventPattern;
  /** The text may contain fields of the event, by `EventField`. */
  problem: string;
  runbook: string;
  urgency: Urgency;
};

/**
 * Points to a section of the runbook, by the anchor that Git hosts derive from its heading.
 *
 * The path is relative, because a fork has its own address and an operator may only have a clone.
 */
export function runbookLink(heading: string): string {
  return `Runbook: docs/runbook.md#${heading.toLowerCase().replaceAll(' ', '-')}`;
}
