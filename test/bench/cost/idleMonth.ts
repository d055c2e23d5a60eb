import { type Stage, stackName } from '../../../infra/stages.ts';
import { alarmMetrics } from '../../helpers/templateMetrics.ts';
import { defaultApp, propertiesOf, templateOf } from '../../helpers/templates.ts';
import { requestMs } from '../scaling/ceilings.ts';
import { heartbeatMs } from './assumptions.ts';
import { type BillLine, billLine, billTable } from './bill.ts';
import { cents } from './costs.ts';
import { accessLogBytes, type RequestName, requestBytes } from './requestBytes.ts';

/** The monthly bill of a stage that does not depend on requests. */
export function fixedLines({ name }: Stage): BillLine[] {
  const template = templateOf(defaultApp, stackName(name));
  const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').flatMap(alarmMetrics).length;
  const compositeAlarms = propertiesOf(template, 'AWS::CloudWatch::CompositeAlarm').length;
  const dashboards = propertiesOf(template, 'AWS::CloudWatch::Dashboard').length;
  const [webAcl] = propertiesOf(template, 'AWS::WAFv2::WebACL');
  const rules = ((webAcl?.Rules ?? []) as unknown[]).length;
  return [
    billLine('Alarms', 'metrics that alarms read', 'alarmMetricMonth', alarms),
    billLine('Alarms', 'composite alarms', 'compositeAlarmMonth', compositeAlarms),
    billLine('Dashboards', 'dashboards', 'dashboardMonth', dashboards),
    ...(webAcl
      ? [
          billLine('Firewall', 'web ACLs', 'webAclMonth', 1),
          billLine('Firewall', 'rules', 'firewallRuleMonth', rules),
        ]
      : []),
  ];
}

/** Every five minutes for 30 days. */
const heartbeats = 12 * 24 * 30;

/** The requests of a run of the heartbeat. Its list has one pet. */
const heartbeatRequests: readonly RequestName[] = [
  'listPets of 20',
  'listPets without a key',
  'createPet without a name',
];

/** The price of the heartbeat, the only client of an idle stage. */
function heartbeatLines({ memoryMb, firewall }: Stage): BillLine[] {
  const sent = heartbeatRequests.map((name) => requestBytes[name]);
  const requests = heartbeats * sent.length;
  const runMs = heartbeatMs + sent.length * requestMs('listPets', { memoryMb });
  const gbSeconds = (heartbeats * runMs * memoryMb) / 1_024 / 1_000;
  const functionLog = heartbeats * sent.reduce((sum, each) => sum + each.functionLog, 0);
  const metrics = new Set(sent.flatMap((each) => each.metrics)).size;
  const own = (what: string, priced: BillLine['priced'], quantity: number) =>
    billLine('Heartbeat', what, priced, quantity);
  return [
    own('requests', 'gatewayRequest', requests),
    ...(firewall ? [own('requests through the firewall', 'firewallRequest', requests)] : []),
    own('runs of functions', 'lambdaRequest', requests + heartbeats),
    own('GB-seconds', 'lambdaGbSecond', gbSeconds),
    own('GB of function logs', 'logGb', functionLog / 1e9),
    own('GB of access log', 'infrequentLogGb', (requests * accessLogBytes) / 1e9),
    own('metrics of our own', 'metricMonth', metrics),
  ];
}

/** The price of a month without requests in each stage, except for stored data. */
export function idleTable(stages: readonly Stage[]): string {
  const bills = stages.map((stage) => ({
    stage: stage.name,
    lines: [...fixedLines(stage), ...heartbeatLines(stage)],
  }));
  return billTable('A month without clients', bills, cents);
}
