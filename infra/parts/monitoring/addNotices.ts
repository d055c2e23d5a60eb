import type { Stack } from 'aws-cdk-lib';
import { EventField, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { NoticeProps, Urgency } from '../../core/signals.ts';
import { operatorMessage } from './AlarmTopic.ts';

/**
 * Tells the operators of events: those of the parts, and a stack that is stuck in its rollback.
 *
 * These are rules, not alarms, because an alarm that counts events would report "OK" five minutes later.
 */
export function addNotices(
  stack: Stack,
  stageName: string,
  topics: Record<Urgency, ITopic>,
  notices: readonly NoticeProps[],
): void {
  for (const { name, event, ...notice } of [...notices, stuckRollback(stack, stageName)]) {
    const { problem, urgency, runbook } = notice;
    const message = RuleTargetInput.fromText(operatorMessage(problem, urgency, runbook));
    // EventBridge publishes with a role, which no other account can use. Without a role it sends no
    // `aws:SourceAccount`, so a topic that requires this condition would silently refuse the messages.
    const target = new SnsTopic(topics[urgency], { message, authorizeUsingRole: true });
    new Rule(stack, name, { eventPattern: event, targets: [target] });
  }
}

function stuckRollback({ stackId }: Stack, stageName: string): NoticeProps {
  return {
    name: 'StuckRollback',
    event: {
      source: ['aws.cloudformation'],
      detailType: ['CloudFormation Stack Status Change'],
      detail: {
        'stack-id': [stackId],
        'status-details': { status: ['UPDATE_ROLLBACK_FAILED'] },
      },
    },
    problem: `The stack of ${stageName} is in UPDATE_ROLLBACK_FAILED and accepts no deployment: ${EventField.fromPath('$.detail.status-details.status-reason')}`,
    runbook: 'Rollback stuck',
    urgency: 'high',
  };
}
