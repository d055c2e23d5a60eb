import { describe, expect, it } from 'vitest';
import {
  idOf,
  production,
  propertiesOf,
  staging,
  synthesise,
  templateOf,
} from '../../helpers/templates.ts';

describe('Firewall', () => {
  const webAcl = 'AWS::WAFv2::WebACL';
  const [firewall] = propertiesOf(production, webAcl);
  const rules = firewall?.Rules as Record<string, unknown>[];

  it('protects the stage of the API', () => {
    const [association] = propertiesOf(production, 'AWS::WAFv2::WebACLAssociation');
    const resourceArn = association?.ResourceArn as { 'Fn::Join': [string, unknown[]] };

    expect(firewall).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    expect(association?.WebACLArn).toEqual({ 'Fn::GetAtt': [idOf(production, webAcl), 'Arn'] });
    expect(resourceArn['Fn::Join'][1].slice(-3)).toEqual([
      { Ref: idOf(production, 'AWS::ApiGateway::RestApi') },
      '/stages/',
      { Ref: idOf(production, 'AWS::ApiGateway::Stage') },
    ]);
  });

  it('blocks an address that sends more than 6,000 requests a minute', () => {
    expect(rules[0]).toMatchObject({
      Name: 'RequestsPerAddress',
      Statement: {
        RateBasedStatement: { AggregateKeyType: 'IP', Limit: 6000, EvaluationWindowSec: 60 },
      },
    });
  });

  it('lets the gateway respond with 429, the Error body and Retry-After', () => {
    const response = propertiesOf(production, 'AWS::ApiGateway::GatewayResponse').find(
      ({ ResponseType }) => ResponseType === 'WAF_FILTERED',
    );

    // A custom response of the rule would replace the gateway response.
    expect(rules[0]?.Action).toEqual({ Block: {} });
    expect(response).toMatchObject({
      StatusCode: '429',
      ResponseParameters: {
        'gatewayresponse.header.Retry-After': "'60'",
      },
      ResponseTemplates: {
        'application/json': JSON.stringify({
          code: 'too_many_requests',
          message: 'There are too many requests: wait before you send the next one.',
          status: 429,
        }),
      },
    });
  });

  it('only counts known attacks, because a name may be any text', () => {
    const [, ...others] = rules;

    expect(others).toMatchObject([
      {
        Name: 'KnownBadInputs',
        OverrideAction: { Count: {} },
        Statement: {
          ManagedRuleGroupStatement: {
            VendorName: 'AWS',
            Name: 'AWSManagedRulesKnownBadInputsRuleSet',
          },
        },
      },
    ]);
  });

  it('counts the matches of each rule, and hides API keys in its samples', () => {
    for (const { Name, VisibilityConfig } of rules) {
      expect(VisibilityConfig).toMatchObject({ CloudWatchMetricsEnabled: true, MetricName: Name });
    }
    expect(firewall?.DataProtectionConfig).toEqual({
      DataProtections: [
        {
          Action: 'SUBSTITUTION',
          Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization'] },
        },
      ],
    });
  });

  it('is absent from staging, and if the context leaves it out', () => {
    staging.resourceCountIs(webAcl, 0);
    templateOf(synthesise({ without: 'waf' }), 'PetStore-v1-production').resourceCountIs(webAcl, 0);
  });
});
