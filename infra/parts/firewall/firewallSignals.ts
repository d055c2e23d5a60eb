import { Aws, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { metricMath } from '../../core/serviceMetrics.ts';
import type { Signals } from '../../core/signals.ts';
import type { Firewall } from './Firewall.ts';

/** The blocked requests, and the alarm of a firewall that lets none through: not even those of the heartbeat. */
export function firewallSignals(firewall: Firewall): Signals {
  const metric = (metricName: string, label?: string) =>
    new Metric({
      namespace: 'AWS/WAFV2',
      metricName,
      // The web ACL has the metric name of the stack.
      dimensionsMap: { WebACL: Stack.of(firewall).stackName, Rule: 'ALL', Region: Aws.REGION },
      statistic: 'Sum',
      ...(label && { label }),
    });
  return {
    requests: [metric('BlockedRequests', 'blocked')],
    alarms: [
      {
        name: 'Firewall-Detached',
        impact:
          'For 10 minutes the firewall has let no request through, not even the heartbeat. If the alarm Heartbeat is on too, start there. Otherwise one client may use up the rate of all.',
        runbook: 'Firewall detached',
        // If clients get no response, the heartbeat wakes an operator.
        urgency: 'low',
        metric: metricMath('Allowed requests', 'FILL(allowed, 0)', {
          allowed: metric('AllowedRequests'),
        }),
        isRequired: true,
        threshold: 1,
        periods: 2,
      },
    ],
  };
}
