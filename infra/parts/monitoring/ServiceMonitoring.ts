import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  AlarmBase,
  type CfnAlarm,
  ComparisonOperator,
  Dashboard,
  PeriodOverride,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { TableName } from '../../../lib/tables.ts';
import type { ApiFunction } from '../../core/ServiceFunction.ts';
import type { AlarmProps, Signals, Urgency } from '../../core/signals.ts';
import type { ResponseMetrics } from './addResponseMetrics.ts';

export type Monitored = {
  stage: { name: string; isDurable: boolean; githubRepository?: string | undefined };
  api: RestApi;
  responses: ResponseMetrics;
  functions: readonly ApiFunction[];
  tables: Record<TableName, ITable>;
  signals: readonly Signals[];
  topics: Record<Urgency, ITopic>;
};

/** The dashboard of a stage, which `addDashboardWidgets` fills, and its alarms. */
export class ServiceMonitoring extends Construct {
  readonly dashboard: Dashboard;
  readonly #topics: Monitored['topics'];
  readonly #parts = new Set<AlarmBase>();
  readonly #runbook: string;

  constructor(scope: Construct, id: string, { topics, stage }: Monitored) {
    super(scope, id);
    this.#topics = topics;
    // The setting may have the ids of the owner and the repository. Without it, the address is not known.
    const repository = stage.githubRepository?.replaceAll(/@\d+/g, '');
    this.#runbook = `${repository ? `https://github.com/${repository}/blob/main/` : ''}docs/runbook.md`;
    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: `${Stack.of(this).stackName}-service`,
      defaultInterval: Duration.hours(3),
      // Graphs keep the periods of their metrics, also over weeks.
      periodOverride: PeriodOverride.INHERIT,
    });
  }

  /** Adds an alarm that says what is wrong, who is affected and which runbook section to read. */
  addAlarm(props: AlarmProps): Alarm {
    const { name, impact, runbook, urgency, metric, threshold, isRequired } = props;
    const { periods = 1, outOf = periods } = props;
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: this.message(impact, runbook, urgency),
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
    if (urgency) this.notify(alarm, urgency);
    else this.#parts.add(alarm);
    // While the stack is created, there is no data, and the API does not respond yet.
    if (isRequired) setWarmUp(alarm, Duration.minutes(15));
    return alarm;
  }

  /** Returns what an operator reads: what is wrong, whether it is urgent, and where the runbook says what to do. */
  message(impact: string, runbook: string, urgency?: Urgency): string {
    const advice =
      urgency &&
      {
        high: 'Urgent: respond now.',
        low: 'Not urgent: this can wait until the morning.',
      }[urgency];
    const anchor = runbook.toLowerCase().replaceAll(' ', '-');
    return [impact, advice, `Runbook: ${this.#runbook}#${anchor}`].filter(Boolean).join(' ');
  }

  /** Tells the operators when an alarm begins and ends. */
  notify(alarm: AlarmBase, urgency: Urgency): void {
    const action = new SnsAction(this.#topics[urgency]);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }

  /** All alarms of the stack so far that tell the operators. */
  get alarms(): AlarmBase[] {
    const constructs = Stack.of(this).node.findAll();
    const alarms = constructs.filter((each) => each instanceof AlarmBase);
    return alarms.filter((each) => !this.#parts.has(each));
  }
}

/** Delays the first state and message of an alarm. `Alarm` has no property for this setting yet. */
function setWarmUp(alarm: AlarmBase, warmUp: Duration): void {
  (alarm.node.defaultChild as CfnAlarm).warmUpConfiguration = {
    warmUpPeriodDurationInMinutes: warmUp.toMinutes(),
    // By default the first data end the warm-up, and FILL gives the expression data at once.
    onlyStartEvaluatingAfterWarmUpPeriodEnds: true,
  };
}
