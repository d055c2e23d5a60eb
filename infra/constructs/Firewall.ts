import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

type FirewallProps = { stage: Stage; requestsPerMinuteAndAddress: number };

/**
 * AWS WAF before the API: refuses an address that asks too often, and counts known attacks.
 *
 * What it refuses is answered by the gateway response `WAF_FILTERED`, with the Error body and all
 * headers. An answer of the firewall's own could not carry the request's id.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, { stage, requestsPerMinuteAndAddress }: FirewallProps) {
    super(scope, id);
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('Firewall'),
      // Samples of requests can be looked at for three hours, and must not show an API key.
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
          // `WAF_FILTERED` is 429 for the sake of this rule: no other one may block.
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
          // A name may be any text, also one that looks like an attack on some other software.
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
      resourceArn: stage.stageArn,
      webAclArn: webAcl.attrArn,
    });
  }
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
