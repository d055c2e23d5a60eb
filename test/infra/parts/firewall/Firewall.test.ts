import { describe, expect, it } from 'vitest';
import { stackName } from '../../../../infra/core/stackNames.ts';
import { checkChanged, durableName } from '../../../helpers/bareStage.ts';
import { production, propertiesOf } from '../../../helpers/templates.ts';

type Rule = {
  Priority: number;
  Action: object;
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
  const ruleOf = (has: (statement: Rule['Statement']) => unknown) =>
    rules.find(({ Statement }) => has(Statement)) ?? expect.fail();
  const blockList = ruleOf(({ IPSetReferenceStatement }) => IPSetReferenceStatement);
  const keyLimit = ruleOf(({ RateBasedStatement: limit }) => limit?.CustomKeys);

  it('blocks what its rules find, first the addresses that operators list', () => {
    expect(rules.map(({ Action }) => Action)).toEqual(rules.map(() => ({ Block: {} })));
    expect(blockList.Statement.IPSetReferenceStatement.Arn).toBe('<FirewallBlockedAddresses.Arn>');
    expect(blockList.Priority).toBe(Math.min(...rules.map(({ Priority }) => Priority)));
  });

  it('counts an API key with `bearer` in any case, and with any white space, as one', () => {
    const [{ Header }] = keyLimit.Statement.RateBasedStatement.CustomKeys;

    expect(Header.Name).toBe('authorization');
    expect(Header.TextTransformations.map(({ Type }: { Type: string }) => Type)).toEqual([
      'LOWERCASE',
      'COMPRESS_WHITE_SPACE',
    ]);
  });

  it('blocks a request whose API key it cannot see, before it counts requests by key', () => {
    const blind = ruleOf(
      ({ SizeConstraintStatement: limit }) =>
        limit?.FieldToMatch.Headers.OversizeHandling === 'MATCH',
    );

    expect(blind.Priority).toBeLessThan(keyLimit.Priority);
  });

  it('lets a blocked client wait for the minute that its rules count', () => {
    const blocked = propertiesOf(production, 'AWS::ApiGateway::GatewayResponse').find(
      ({ ResponseType }) => ResponseType === 'WAF_FILTERED',
    );

    expect(blocked).toMatchObject({
      StatusCode: '429',
      ResponseParameters: { 'gatewayresponse.header.Retry-After': "'60'" },
    });
  });

  it('has the name of its stack, by which the dashboard finds its metrics', () => {
    expect(firewall.VisibilityConfig.MetricName).toBe(stackName(durableName));
  });
});
