import { describe, expect, it } from 'vitest';
import {
  type Properties,
  production,
  propertiesOf,
  resourcesOf,
  shortId,
  textOf,
} from '../../helpers/templates.ts';

const template = production;

describe('Heartbeat', () => {
  const functions = resourcesOf(template, 'AWS::Lambda::Function');
  const [, heartbeat] = functions.find(([id]) => shortId(id) === 'HeartbeatFunction') ?? [];
  const properties: Properties = heartbeat?.Properties ?? {};

  it('calls the address that clients use, without a key', () => {
    const { Variables } = properties.Environment as { Variables: Properties };
    const outputs = template.findOutputs('BaseAddress') as Record<string, { Value: unknown }>;

    expect(Object.keys(Variables)).toEqual(['BASE_ADDRESS', 'STAGE', 'RELEASE']);
    expect(textOf(Variables.BASE_ADDRESS)).toBe(textOf(outputs.BaseAddress?.Value));
  });

  it('runs every five minutes, in the middle of each period of its alarm', () => {
    const rules = propertiesOf(template, 'AWS::Events::Rule');
    const scheduled = rules.filter(({ ScheduleExpression }) => ScheduleExpression);

    expect(scheduled).toMatchObject([
      { ScheduleExpression: 'cron(2/5 * * * ? *)', State: 'ENABLED' },
    ]);
    const targets = scheduled.flatMap(({ Targets }) => Targets as Properties[]);
    expect(targets.map(({ Arn }) => textOf(Arn))).toEqual(['<HeartbeatFunction.Arn>']);
  });

  it('is not repeated after a failure, and has time for all of its requests', () => {
    expect(propertiesOf(template, 'AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { MaximumRetryAttempts: 0, FunctionName: expect.anything() },
    ]);
    expect(properties).toMatchObject({ Timeout: 25 });
  });
});
