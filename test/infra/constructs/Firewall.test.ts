import { describe, expect, it } from 'vitest';
import { production, propertiesOf } from '../../helpers/templates.ts';

type Rule = {
  Name: string;
  Priority: number;
  Action: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the test asserts the shape
  Statement: any;
  VisibilityConfig: { SampledRequestsEnabled: boolean };
};

describe('Firewall', () => {
  const [firewall = {}] = propertiesOf(production, 'AWS::WAFv2::WebACL');
  const rules: Rule[] = firewall.Rules;

  it('responds to every block with the 429 of the gateway, whichever rule blocks', () => {
    // A custom response of a rule would replace the gateway response.
    expect(rules.map(({ Action }) => Action)).toEqual(rules.map(() => ({ Block: {} })));
    expect(firewall.DefaultAction).toEqual({ Allow: {} });
  });

  it('blocks a request whose API key it cannot see, before it counts requests by key', () => {
    const isBlind = ({ Statement }: Rule) =>
      Statement.SizeConstraintStatement?.FieldToMatch.Headers.OversizeHandling === 'MATCH';
    const isCounting = ({ Statement }: Rule) =>
      Statement.RateBasedStatement?.AggregateKeyType === 'CUSTOM_KEYS';
    const priorityOf = (is: (rule: Rule) => boolean) => rules.find(is)?.Priority ?? expect.fail();

    expect(priorityOf(isBlind)).toBeLessThan(priorityOf(isCounting));
  });

  it('shows an API key neither in samples nor in logs', () => {
    const samples = [firewall, ...rules].map(
      ({ VisibilityConfig }) => VisibilityConfig.SampledRequestsEnabled,
    );

    expect(samples).toEqual(samples.map(() => false));
    expect(firewall.DataProtectionConfig).toMatchObject({
      DataProtections: [{ Action: 'SUBSTITUTION', Field: { FieldKeys: ['authorization'] } }],
    });
  });
});
