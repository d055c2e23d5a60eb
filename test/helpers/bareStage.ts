import type { Stage } from '../../infra/stageRules.ts';

// Not in templates.ts, which takes a second to load.

/** What production has, and staging lacks. */
const ofProduction: Partial<Stage> = {
  isDurable: true,
  idsPerLease: 10,
  trafficShift: 'canary',
  firewall: { requestsPerMinuteAndAddress: 6000, requestsPerMinuteAndApiKey: 4500 },
};

/**
 * A stage without an account, a recipient, a domain and origins.
 *
 * Nothing is from `infra/stages.ts`: an operator who changes a setting there in an incident must not make a
 * test fail.
 */
export function bareStage(name: 'v1-production' | 'v1-staging'): Stage {
  return {
    name,
    account: {},
    alarmRecipient: { none: 'This is a test.' },
    isDurable: false,
    idsPerLease: 1,
    memoryMb: 512,
    logRetentionDays: 365,
    accessLogRetentionDays: 90,
    trafficShift: 'allAtOnce',
    operationThrottle: { requestsPerSecond: 150, burstRequests: 300 },
    tableCeiling: { readUnits: 8000, writeUnits: 2000 },
    ...(name === 'v1-production' && ofProduction),
  };
}
