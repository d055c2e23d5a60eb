import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { monitored } from '../../../helpers/monitoredStage.ts';
import { production, propertiesOf } from '../../../helpers/templates.ts';

describe('AlarmTopic', () => {
  it('of the second recipient gets what can wait until the morning, and each message says so', () => {
    const messages = messagesOf(monitored);
    const [urgent, later] = ['<AlarmTopic>', '<LowUrgencyTopic>'].map((topic) =>
      messages.filter(({ topics }) => topics.every((each) => each === topic)),
    );

    const canWait = [/-Refusals$/, /-SlowBurn$/, /-Deletes$/, /-DamagedData$/, /-Concurrency$/];
    const kindOf = ({ name }: { name: string }) => canWait.find((kind) => kind.test(name));
    expect(urgent?.filter(kindOf)).toEqual([]);
    expect(new Set(later?.map(kindOf))).toEqual(new Set(canWait));
    expect([urgent, later].map((each) => each && each.length > 5)).toEqual([true, true]);
    expect([urgent, later].flat()).toHaveLength(messages.length);
    for (const { text } of urgent ?? []) expect(text).toContain(' Urgent: respond now. Runbook:');
    for (const { text } of later ?? []) {
      expect(text).toContain(' Not urgent: this can wait until the morning. Runbook:');
    }
  });

  it('gets all messages if there is no second recipient', () => {
    const topics = messagesOf(production).flatMap((each) => each.topics);

    expect([...new Set(topics)]).toEqual(['<AlarmTopic>']);
  });
});

/** Every alarm that tells the operators, with the topics that it goes to. */
function messagesOf(from: Template) {
  return ['Alarm', 'CompositeAlarm']
    .flatMap((type) => propertiesOf(from, `AWS::CloudWatch::${type}`))
    .filter(({ AlarmActions }) => AlarmActions)
    .map((each) => ({
      name: String(each.AlarmName),
      text: String(each.AlarmDescription),
      topics: [each.AlarmActions, each.OKActions].flat(),
    }));
}
