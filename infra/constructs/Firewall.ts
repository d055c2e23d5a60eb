import { Aws, Stack } from 'aws-cdk-lib';
import type { Stage as ApiStage } from 'aws-cdk-lib/aws-apigateway';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';

type FirewallProps = { apiStage: ApiStage; requestsPerMinuteAndAddress: number };

/**
 * AWS WAF in front of the API: blocks an address that sends too many requests.
 *
 * A blocked request gets the gateway response `WAF_FILTERED`, with the Error body and all headers. A
 * custom response of the firewall could not contain the request id.
 */
export class Firewall extends Construct {
  /** The requests that the firewall blocked. */
  readonly blockedRequests: Metric;

  constructor(
    scope: Construct,
    id: string,
    { apiStage, requestsPerMinuteAndAddress }: FirewallProps,
  ) {
    super(scope, id);
    // The metrics of AWS WAF name a web ACL and its rules by these names.
    const { stackName } = Stack.of(this);
    this.blockedRequests = new Metric({
      namespace: 'AWS/WAFV2',
      metricName: 'BlockedRequests',
      dimensionsMap: { WebACL: stackName, Rule: 'ALL', Region: Aws.REGION },
      statistic: 'Sum',
    });
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(stackName),
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
          // `WAF_FILTERED` is a 429 because of this rule. No other rule may block with another meaning.
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
