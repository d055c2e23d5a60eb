import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

type FirewallProps = { apiStage: ApiStage; requestsPerMinuteAndAddress: number };

/**
 * AWS WAF in front of the API: blocks an address that sends too many requests, and counts known attacks.
 *
 * A blocked request gets the gateway response `WAF_FILTERED`, with the Error body and all headers. A
 * custom response of the firewall could not contain the request id.
 */
export class Firewall extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { apiStage, requestsPerMinuteAndAddress }: FirewallProps,
  ) {
    super(scope, id);
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('Firewall'),
      // Operators can view sampled requests for three hours. Samples must not show an API key.
      dataProtectionConfig: {
        dataProtections: [
          {
            field: { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] },
            action: 'SUBSTITUTION',
          },
        ],
      },
      rules: [
        {
          name: 'RequestsPerAddress',
          priority: 0,
          // `WAF_FILTERED` is a 429 because of this rule. No other rule may block.
          action: { block: {} },
          statement: {
            rateBasedStatement: {
              aggregateKeyType: 'IP',
              limit: requestsPerMinuteAndAddress,
              evaluationWindowSec: 60,
            },
          },
          visibilityConfig: visibility('RequestsPerAddress'),
        },
        {
          name: 'KnownBadInputs',
          priority: 1,
          // A pet's name may be any text, including text that looks like an attack.
          overrideAction: { count: {} },
          statement: {
            managedRuleGroupStatement: {
              vendorName: 'AWS',
              name: 'AWSManagedRulesKnownBadInputsRuleSet',
            },
          },
          visibilityConfig: visibility('KnownBadInputs'),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: apiStage.stageArn,
      webAclArn: webAcl.attrArn,
    });
  }
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
