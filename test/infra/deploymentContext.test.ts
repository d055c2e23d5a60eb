import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { deploymentContext } from '../../infra/deploymentContext.ts';

const contextOf = (context: Record<string, unknown>) => deploymentContext(new App({ context }));

const production = { name: 'v1-production' } as const;
const staging = { name: 'v1-staging' } as const;
const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';

describe('deploymentContext', () => {
  it('has all features, no fault and no domain by default', () => {
    const { without, alarmEmail, hasFault, domainOf } = contextOf({});

    expect([...without]).toEqual([]);
    expect(alarmEmail).toBeUndefined();
    expect(hasFault).toBe(false);
    expect(domainOf(production)).toBeUndefined();
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

  it('reads the address for alarms and the fault of the rollback drill', () => {
    const { alarmEmail, hasFault } = contextOf({ alarmEmail: 'ops@example.com', fault: 'on' });

    expect(alarmEmail).toBe('ops@example.com');
    expect(hasFault).toBe(true);
    expect(contextOf({ fault: 'off' }).hasFault).toBe(false);
  });

  it.each(['example/petstore', 'example@123456/petstore@456789'])(
    'reads the repository of the pipeline: %s',
    (githubRepository) => {
      expect(contextOf({ githubRepository }).githubRepository).toBe(githubRepository);
    },
  );

  it.each([
    { alarmEmail: 'ops' },
    { githubRepository: 'petstore' },
    { githubRepository: 'example@123456/petstore' },
    { alarmEmail: ['ops@example.com'] },
    { fault: 'yes' },
    { fault: true },
  ])('throws for %j', (context) => {
    expect(() => contextOf(context)).toThrow(/^The context "\w+" has the invalid value /);
  });

  it('reads a domain for each stage, with or without the zone for its record', () => {
    const { domainOf } = contextOf({
      'v1-production:domainName': 'api.example.com',
      'v1-production:certificateArn': certificateArn,
      'v1-production:hostedZoneId': 'Z0123456789',
      'v1-production:hostedZoneName': 'example.com',
      'v1-staging:domainName': 'api.staging.example.com',
      'v1-staging:certificateArn': certificateArn,
    });

    expect(domainOf(production)).toEqual({
      name: 'api.example.com',
      certificateArn,
      hostedZone: { id: 'Z0123456789', name: 'example.com' },
    });
    expect(domainOf(staging)).toEqual({ name: 'api.staging.example.com', certificateArn });
  });

  it.each([
    { 'v1-staging:domainName': 'api.example.com' },
    { 'v1-staging:certificateArn': certificateArn },
    { 'v1-staging:hostedZoneId': 'Z1', 'v1-staging:hostedZoneName': 'example.com' },
    {
      'v1-staging:domainName': 'api.example.com',
      'v1-staging:certificateArn': certificateArn,
      'v1-staging:hostedZoneId': 'Z1',
    },
  ])('throws for an incomplete domain: %j', (context) => {
    expect(() => contextOf(context).domainOf(staging)).toThrow(
      /^The contexts "v1-staging:\w+" and "v1-staging:\w+" must be set together: one of them is missing.$/,
    );
  });

  it('throws for a domain with a scheme or a path', () => {
    const { domainOf } = contextOf({ 'v1-staging:domainName': 'https://api.example.com/v1' });

    expect(() => domainOf(staging)).toThrow(
      'The context "v1-staging:domainName" has the invalid value "https://api.example.com/v1".',
    );
  });
});
