import { Annotations, CfnOutput, type Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { AccessLog } from '../../core/AccessLog.ts';
import type { Artifacts, FunctionSettings } from '../../core/ServiceFunction.ts';
import { AlarmTopic, type Recipient } from './AlarmTopic.ts';
import { addAlarms } from './addAlarms.ts';
import { addDashboard } from './addDashboard.ts';
import { addResponseMetrics } from './addResponseMetrics.ts';
import { Heartbeat } from './Heartbeat.ts';
import type { Monitored } from './metrics.ts';

type MonitoringProps = Omit<Monitored, 'responses' | 'heartbeat'> & {
  stage: FunctionSettings;
  artifacts: Artifacts;
  accessLog: AccessLog;
  /** The address that clients use, ending in `/v1`. */
  baseAddress: string;
  /** Absent: the settings do not say who gets the alarms. */
  recipient: Recipient | undefined;
  /** The GitHub repository with the runbook, maybe with ids: `owner@123456/name@456789`. */
  repository: string | undefined;
};

/** Tells the operators of a stage what needs them: alarms, a dashboard, and a heartbeat, which it returns. */
export function addMonitoring(stack: Stack, props: MonitoringProps): Heartbeat {
  const { stage, artifacts, accessLog, baseAddress, recipient, repository } = props;
  if (stage.isDurable && !recipient) {
    Annotations.of(stack).addWarningV2(
      'PetStore:recipient',
      `The alarms of ${stage.name} have no recipient. In infra/stages.ts, set its monitoring.recipient to { email: 'operators@example.com' }, { https: 'https://pager.example.com/…' } or { none: 'the reason' }.`,
    );
  }
  const monitoring = new Construct(stack, 'Monitoring');
  const topic = new AlarmTopic(monitoring, 'AlarmTopic', { recipient });
  // docs/deployment.md subscribes a pager by hand.
  new CfnOutput(stack, 'AlarmTopicArn', { value: topic.topicArn });

  const responses = addResponseMetrics(accessLog, stage.name);
  const heartbeat = new Heartbeat(monitoring, 'Heartbeat', { stage, artifacts, baseAddress });
  const monitored = { ...props, responses, heartbeat };
  const receivers = { topic, runbook: runbookAddress(repository) };
  addDashboard(monitoring, monitored, addAlarms(monitoring, monitored, receivers));
  return heartbeat;
}

/** Without a repository, alarms name the file only. */
function runbookAddress(repository: string | undefined): string {
  const path = 'docs/runbook.md';
  if (!repository) return path;
  return `https://github.com/${repository.replaceAll(/@\d+/g, '')}/blob/main/${path}`;
}
