import { Aws, Stack } from 'aws-cdk-lib';
import { CfnIPSet, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { gatewayErrors } from '../../core/gatewayErrors.ts';
import type { PetStoreApi } from '../../core/PetStoreApi.ts';

type FirewallProps = {
  api: PetStoreApi;
  requestsPerMinuteAndAddress: number;
  requestsPerMinuteAndApiKey: number;
};

/**
 * AWS WAF in front of the API. It blocks the addresses that operators list, and an address or an API key that
 * sends too many requests.
 *
 * No rule looks at a path or a body, because a pet's name may look like an attack. No rate rule can count a
 * network, so the API has no IPv6: a fork that needs it adds a rule with the aggregate key `CONSTANT` for `2000::/3`.
 *
 * A blocked request gets the gateway response `WAF_FILTERED`, a 429 with the Error body and all headers. A
 * custom response of AWS WAF could not contain the request id.
 */
export class Firewall extends Construct {
  /** The names of the rules, which their metrics have too. */
  readonly ruleNames: readonly string[];

  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const { api, requestsPerMinuteAndAddress, requestsPerMinuteAndApiKey } = props;
    const { stackName } = Stack.of(this);
    const rules = [
      rule(0, 'BlockedAddresses', {
        ipSetReferenceStatement: { arn: addBlockedAddresses(this).attrArn },
      }),
      rule(1, 'RequestsPerAddress', {
        rateBasedStatement: {
          aggregateKeyType: 'IP',
          limit: requestsPerMinuteAndAddress,
          evaluationWindowSec: 60,
        },
      }),
      // This rule does not count requests without the header, or with a key behind the first 200 headers or
      // 8 KiB, which AWS WAF does not see. The rule above and the throttles of the API count them.
      rule(2, 'RequestsPerApiKey', {
        rateBasedStatement: {
          aggregateKeyType: 'CUSTOM_KEYS',
          customKeys: [
            {
              header: {
                name: 'authorization',
                // The service accepts `bearer` in any case, and several spaces after it.
                textTransformations: [
                  { priority: 0, type: 'LOWERCASE' },
                  { priority: 1, type: 'COMPRESS_WHITE_SPACE' },
                ],
              },
            },
          ],
          limit: requestsPerMinuteAndApiKey,
          evaluationWindowSec: 60,
        },
      }),
    ];
    this.ruleNames = rules.map(({ name }) => name);
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility(stackName),
      // Requests are not sampled. If an operator switches on logs, this setting keeps API keys out of them.
      dataProtectionConfig: {
        dataProtections: [
          {
            field: { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] },
            action: 'SUBSTITUTION',
          },
        ],
      },
      rules,
    });
    new CfnWebACLAssociation(this, 'Association', {
      // Not `stageArn`, because its text changes once the settings name the account. A changed text replaces
      // the association, and deleting the old one could detach the firewall.
      resourceArn: `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}::/restapis/${api.restApiId}/stages/${api.deploymentStage.stageName}`,
      webAclArn: webAcl.attrArn,
    });
    // The rules count over a minute.
    const headers = { 'Retry-After': '60' };
    api.addGatewayError('WAF_FILTERED', { ...gatewayErrors.THROTTLED, headers });
  }
}

/**
 * Adds the list of addresses that operators fill by hand, as docs/runbook.md says.
 *
 * CloudFormation does not touch the addresses while this resource stays as it is. A deployment that changes
 * one of its properties or tags empties the list.
 */
function addBlockedAddresses(scope: Construct): CfnIPSet {
  return new CfnIPSet(scope, 'BlockedAddresses', {
    name: `${Stack.of(scope).stackName}-BlockedAddresses`,
    scope: 'REGIONAL',
    ipAddressVersion: 'IPV4',
    addresses: [],
  });
}

/** A rule that blocks. Clients get the same 429 from every rule, because `WAF_FILTERED` is one response for all. */
function rule(
  priority: number,
  name: string,
  statement: CfnWebACL.StatementProperty,
): CfnWebACL.RuleProperty {
  return { name, priority, action: { block: {} }, statement, visibilityConfig: visibility(name) };
}

/** Samples are off, because they would show the headers of requests. */
function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
