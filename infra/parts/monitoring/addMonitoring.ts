import { Annotations, CfnOutput, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AccessLog } from '../../core/AccessLog.ts';
import type { Artifacts, FunctionSettings } from '../../core/ServiceFunction.ts';
import type { Signals } from '../../core/signals.ts';
import { AlarmTopic, type Recipient } from './AlarmTopic.ts';
import { addDashboardWidgets } from './addDashboardWidgets.ts';
import { addResponseMetrics } from './addResponseMetrics.ts';
import { addServiceAlarms } from './addServiceAlarms.ts';
import { Heartbeat } from './Heartbeat.ts';
import { type Monitored, ServiceMonitoring } from './ServiceMonitoring.ts';

type MonitoringProps = Omit<Monitored, 'topics' | 'responses' | 'signals'> & {
  stage: FunctionSettings & {
    name: string;
    alarmRecipient?: Recipient | undefined;
    lowUrgencyRecipient?: Recipient | undefined;
  };
  artifacts: Artifacts;
  accessLog: AccessLog;
  /** The address that clients use, ending in `/v1`. */
  baseAddress: string;
  /** The custom domain. */
  domain: Construct | undefined;
  /** What the other parts show. */
  signals: readonly (Signals | undefined)[];
};

/** Tells the operators of a stage what needs them: alarms, a heartbeat and a dashboard. */
export function addMonitoring(stack: Stack, props: MonitoringProps): void {
  const { stage, artifacts, accessLog, baseAddress, domain } = props;
  const signals = props.signals.filter((each) => each !== undefined);
  const { alarmRecipient, lowUrgencyRecipient: recipient } = stage;
  if (!alarmRecipient) {
    Annotations.of(stack).addWarningV2(
      'PetStore:alarmRecipient',
      `Nobody gets the alarms of ${stage.name}: in infra/stages.ts, set its alarmRecipient to { email: 'operators@example.com' }, { https: 'https://pager.example.com/…' } or { none: 'the reason' }.`,
    );
  }
  const high = new AlarmTopic(stack, 'AlarmTopic', { recipient: alarmRecipient });
  const low = recipient ? new AlarmTopic(stack, 'LowUrgencyTopic', { recipient }) : high;
  const topics = { high, low };
  const responses = addResponseMetrics(accessLog, stage.name);
  const monitored = { ...props, topics, responses, signals };

  const monitoring = new ServiceMonitoring(stack, 'Monitoring', monitored);
  addServiceAlarms(monitoring, monitored);
  const heartbeat = new Heartbeat(stack, 'Heartbeat', {
    stage,
    artifacts,
    baseAddress,
    monitoring,
  });
  // No heartbeat succeeds before the domain exists, which takes minutes. So the alarms are created after it.
  if (domain) {
    heartbeat.node.addDependency(domain);
    monitoring.node.addDependency(domain);
  }
  addDashboardWidgets(monitoring, monitored);
  // docs/deployment.md subscribes a pager by hand.
  new CfnOutput(stack, 'AlarmTopicArn', { value: high.topicArn });
}
