import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

type CostBudgetProps = { stage: Stage; topic: ITopic };

/**
 * Tells the operators when the stage has cost 80 % of its monthly budget, or is going to exceed it.
 *
 * AWS bills a resource to a stage by its tag, which the account must have activated for cost allocation.
 */
export class CostBudget extends CfnBudget {
  constructor(scope: Construct, id: string, { stage, topic }: CostBudgetProps) {
    const notify = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
      notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold },
      subscribers: [{ subscriptionType: 'SNS', address: topic.topicArn }],
    });
    super(scope, id, {
      // CloudFormation picks the name: a change of the notifications replaces the budget.
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: stage.monthlyBudgetUsd, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:Stage$${stage.name}`] },
      },
      // In percent of the amount.
      notificationsWithSubscribers: [notify('ACTUAL', 80), notify('FORECASTED', 100)],
    });
    // With the policy of the topic: AWS Budgets must be allowed to publish first.
    this.node.addDependency(topic);
  }
}
