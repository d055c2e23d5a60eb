import { Duration, Stack } from 'aws-cdk-lib';
import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import { AlarmRule, AlarmState, CompositeAlarm, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { RunbookAlarm, runbookLink } from './alerts.ts';

/** The objective: of the valid requests of 30 days, 99.9 % get a response below 500. The rest may fail. */
const errorBudget = 0.001;

const runbook = 'Error budget';

/**
 * The rates that matter, from Google's “Site Reliability Workbook”, chapter “Alerting on SLOs”.
 *
 * At the fast rate the budget of 30 days is gone after two days, at the slow one after five. The long
 * window shows that enough is lost, the short one that it goes on: the alarm ends soon after the cause.
 */
const burns = [
  { name: 'FastBurn', rate: 14.4, long: Duration.hours(1), short: Duration.minutes(5) },
  { name: 'SlowBurn', rate: 6, long: Duration.hours(6), short: Duration.minutes(30) },
];

/** The fewest errors of a long window: one failed request of ten in a quiet night must wake no operator. */
const minErrors = 5;

type ErrorBudgetAlarmProps = { apiStage: ApiStage; topic: ITopic };

/** One alarm on the service level objective, made of one alarm without a mail for each window. */
export class ErrorBudgetAlarm extends CompositeAlarm {
  constructor(scope: Construct, id: string, { apiStage, topic }: ErrorBudgetAlarmProps) {
    const windowAlarm = (name: string, rate: number, period: Duration, errors: number) =>
      AlarmRule.fromAlarm(
        new RunbookAlarm(scope, name, {
          impact: `Within ${period.toHumanString()}, errors used up the error budget at ${rate} times the rate that lasts 30 days.`,
          runbook,
          metric: new MathExpression({
            // A 4xx is not the service's error, and a flood of them must not hide errors.
            expression: `IF(errors >= ${errors}, errors / (requests - refusals) / ${errorBudget}, 0)`,
            usingMetrics: {
              errors: apiStage.metricServerError({ period }),
              refusals: apiStage.metricClientError({ period }),
              requests: apiStage.metricCount({ period }),
            },
            label: 'Burn rate of the error budget',
            period,
          }),
          threshold: rate,
        }),
        AlarmState.ALARM,
      );
    super(scope, id, {
      compositeAlarmName: `${Stack.of(scope).stackName}-${id}`,
      alarmDescription: `Too many requests get a 5xx response: at this rate, fewer than 99.9 % of this month's valid requests succeed. ${runbookLink(runbook)}`,
      alarmRule: AlarmRule.anyOf(
        ...burns.map(({ name, rate, long, short }) =>
          AlarmRule.allOf(
            windowAlarm(`${name}Long`, rate, long, minErrors),
            windowAlarm(`${name}Short`, rate, short, 1),
          ),
        ),
      ),
    });
    this.addAlarmAction(new SnsAction(topic));
    this.addOkAction(new SnsAction(topic));
  }
}
