import { expect, it } from 'vitest';
import { checkChanged, durableName } from '../../../helpers/bareStage.ts';

const operationThrottle = { requestsPerSecond: 90, burstRequests: 90 };
const firewall = { requestsPerMinuteAndAddress: 5400, requestsPerMinuteAndApiKey: 5400 };

it.each(Object.keys(firewall))(
  'a limit of the firewall is at most the rate of an operation: %s',
  (name) => {
    const changed = { operationThrottle, firewall: { ...firewall, [name]: 5401 } };

    expect(() => checkChanged({ operationThrottle, firewall })).not.toThrow();
    expect(() => checkChanged(changed)).toThrow(
      `${durableName} firewall.${name}: Use at most 5400`,
    );
  },
);
