import { describe, expect, it } from 'vitest';
import { idOf, production, propertiesOf, textOf } from '../../helpers/templates.ts';

describe('Firewall', () => {
  const webAcl = 'AWS::WAFv2::WebACL';
  const [firewall] = propertiesOf(production, webAcl);

  it('protects the stage of the API', () => {
    const [association] = propertiesOf(production, 'AWS::WAFv2::WebACLAssociation');

    expect(firewall).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    expect(association?.WebACLArn).toEqual({ 'Fn::GetAtt': [idOf(production, webAcl), 'Arn'] });
    expect(textOf(association?.ResourceArn)).toMatch(
      /\/restapis\/<Api>\/stages\/<ApiDeploymentStage\w+>$/,
    );
  });

  it('blocks an address above 6,000 requests a minute, and nothing else', () => {
    expect(firewall?.Rules).toMatchObject([
      {
        Name: 'RequestsPerAddress',
        // A custom response of the rule would replace the gateway response.
        Action: { Block: {} },
        Statement: {
          RateBasedStatement: { AggregateKeyType: 'IP', Limit: 6000, EvaluationWindowSec: 60 },
        },
        VisibilityConfig: { CloudWatchMetricsEnabled: true, MetricName: 'RequestsPerAddress' },
      },
    ]);
    expect(firewall).toHaveProperty('Rules.length', 1);
  });

  it('lets the gateway respond with 429, the Error body and Retry-After', () => {
    const response = propertiesOf(production, 'AWS::ApiGateway::GatewayResponse').find(
      ({ ResponseType }) => ResponseType === 'WAF_FILTERED',
    );

    expect(response).toMatchObject({
      StatusCode: '429',
      ResponseParameters: { 'gatewayresponse.header.Retry-After': "'60'" },
      ResponseTemplates: {
        'application/json': JSON.stringify({
          code: 'too_many_requests',
          message: 'There are too many requests: wait before you send the next one.',
          status: 429,
        }),
      },
    });
  });

  it('hides API keys in its samples of requests', () => {
    expect(firewall?.DataProtectionConfig).toEqual({
      DataProtections: [
        {
          Action: 'SUBSTITUTION',
          Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization'] },
        },
      ],
    });
  });
});
