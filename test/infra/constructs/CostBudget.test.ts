import { describe, expect, it } from 'vitest';
import { idOf, propertiesOf, resourcesOf, templates, textOf } from '../../helpers/templates.ts';

type Notification = {
  Notification: { NotificationType: string; Threshold: number };
  Subscribers: { SubscriptionType: string; Address: unknown }[];
};

describe.each(templates)('CostBudget of $stage.name', ({ stage, template }) => {
  const [budget = {}] = propertiesOf(template, 'AWS::Budgets::Budget');

  it('is the amount of the stage, for the resources with its tag', () => {
    expect(budget.Budget).toEqual({
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: stage.monthlyBudgetUsd, Unit: 'USD' },
      CostFilters: { TagKeyValue: [`user:Stage$${stage.name}`] },
    });
  });

  it('waits until AWS Budgets may publish to the topic', () => {
    const [[, resource] = []] = resourcesOf(template, 'AWS::Budgets::Budget');

    expect(resource?.DependsOn).toContain(idOf(template, 'AWS::SNS::TopicPolicy'));
  });

  it('notifies the operators of 80 % spent, and of a forecast above the amount', () => {
    const notifications = budget.NotificationsWithSubscribers as Notification[];

    expect(
      notifications.map(({ Notification: { NotificationType, Threshold }, Subscribers }) => [
        NotificationType,
        Threshold,
        ...Subscribers.map(({ SubscriptionType, Address }) => [SubscriptionType, textOf(Address)]),
      ]),
    ).toEqual([
      ['ACTUAL', 80, ['SNS', '<AlarmTopic>']],
      ['FORECASTED', 100, ['SNS', '<AlarmTopic>']],
    ]);
  });
});
