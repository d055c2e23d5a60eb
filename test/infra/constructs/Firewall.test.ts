import { describe, expect, it } from 'vitest';
import { production, propertiesOf } from '../../helpers/templates.ts';

describe('Firewall', () => {
  const webAcl = 'AWS::WAFv2::WebACL';
  const [firewall] = propertiesOf(production, webAcl);

  it('blocks only by the rate of an address, because the gateway then responds with 429', () => {
    expect(firewall).toMatchObject({
      DefaultAction: { Allow: {} },
      Rules: [
        {
          // A custom response of the rule would replace the gateway response.
          Action: { Block: {} },
          Statement: { RateBasedStatement: { AggregateKeyType: 'IP' } },
        },
      ],
    });
  });

  it('hides API keys in its samples of requests', () => {
    expect(firewall?.DataProtectionConfig).toMatchObject({
      DataProtections: [{ Action: 'SUBSTITUTION', Field: { FieldKeys: ['authorization'] } }],
    });
  });
});
