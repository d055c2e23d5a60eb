import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { deploymentContext } from '../../infra/deploymentContext.ts';

const contextOf = (context: Record<string, unknown>) => deploymentContext(new App({ context }));

describe('deploymentContext', () => {
  it('has all features and no fault by default', () => {
    const { without, hasFault } = contextOf({});

    expect([...without]).toEqual([]);
    expect(hasFault).toBe(false);
  });

  it('reads the features to leave out from a comma-separated list', () => {
    const { without } = contextOf({ without: 'codeDeploy, waf,' });

    expect([...without]).toEqual(['codeDeploy', 'waf']);
  });

  it('throws for an unknown feature and names the known ones', () => {
    expect(() => contextOf({ without: 'waf,alarm' })).toThrow(
      'The context "without" must list features out of codeDeploy, waf, backup, accessLogs, tracing, alarms, but has "alarm".',
    );
  });

  it('reads the fault of the rollback drill', () => {
    expect(contextOf({ fault: 'on' }).hasFault).toBe(true);
    expect(contextOf({ fault: 'off' }).hasFault).toBe(false);
  });

  it.each(['yes', true])('throws for the fault %j', (fault) => {
    expect(() => contextOf({ fault })).toThrow(/^The context "fault" has the invalid value /);
  });

  it.each([
    'alarmEmail',
    'githubRepository',
    'v1-production:domainName',
    'v1-production:certificateArn',
    'v1-staging:hostedZoneId',
    'v1-staging:hostedZoneName',
  ])('throws for the former key %s, which the next deployment would forget', (key) => {
    expect(() => contextOf({ [key]: 'example' })).toThrow(
      `The context "${key}" has no effect: use the settings of infra/stages.ts.`,
    );
  });
});
