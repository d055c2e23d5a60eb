import { describe, expect, it } from 'vitest';
import { production, propertiesOf } from '../../../helpers/templates.ts';

type Rule = {
  Priority: number;
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts the shape
  Statement: any;
};

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
