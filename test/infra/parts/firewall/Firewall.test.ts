import { describe, expect, it } from 'vitest';
import { checkChanged, durableName } from '../../../helpers/bareStage.ts';
import { production, propertiesOf } from '../../../helpers/templates.ts';

type Rule = {
  Priority: number;
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts the shape
  Statement: any;
};

describe('the limits of a firewall', () => {
  const operationThrottle = { requestsPerSecond: 90, burstRequests: 90 };
  const firewall = { requestsPerMinuteAndAddress: 5400, requestsPerMinuteAndApiKey: 5400 };

  it.each(Object.keys(firewall))('are at most the rate of an operation: %s', (name) => {
    const changed = { operationThrottle, firewall: { ...firewall, [name]: 5401 } };

    expect(() => checkChanged({ operationThrottle, firewall })).not.toThrow();
    expect(() => checkChanged(changed)).toThrow(
      `${durableName} firewall.${name}: Use at most 5400`,
    );
  });
});

describe('Firewall', () => {
  const [firewall = {}] = propertiesOf(production, 'AWS::WAFv2::WebACL');
  const rules: Rule[] = firewall.Rules;

  it('blocks a request whose API key it cannot see, before it counts requests by key', () => {
    const isBlind = ({ Statement }: Rule) =>
      Statement.SizeConstraintStatement?.FieldToMatch.Headers.OversizeHandling === 'MATCH';
    const isCounting = ({ Statement }: Rule) =>
      Statement.RateBasedStatement?.AggregateKeyType === 'CUSTOM_KEYS';
    const priorityOf = (is: (rule: Rule) => boolean) => rules.find(is)?.Priority ?? expect.fail();

    expect(priorityOf(isBlind)).toBeLessThan(priorityOf(isCounting));
  });
});
