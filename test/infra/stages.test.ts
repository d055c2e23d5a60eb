import { describe, expect, it } from 'vitest';
import { apiMethods, fallbackThrottleShare } from '../../infra/core/apiMethods.ts';
import { checkStages } from '../../infra/stageSchema.ts';
import { sandboxStage, settingsOf, stageOrSandbox, stages } from '../../infra/stages.ts';
import { operations, type TableAccess } from '../../lib/operations.ts';
import { limits } from '../../lib/schemas.ts';
import { counterKey } from '../../lib/tables.ts';
import { type Changes, checkChanged, durableName, otherName } from '../helpers/bareStage.ts';

const rate = (requestsPerSecond: number) => ({
  requestsPerSecond,
  burstRequests: requestsPerSecond,
});

describe('checkStages', () => {
  it.each<[fault: string, changed: Changes]>([
    ['corsOrigins.0: Use an origin', { corsOrigins: ['https://App.example.com'] }],
    ['corsOrigins.0: Use an origin', { corsOrigins: ['https://a.test"'] }],
    [': Unrecognized key: "throttle"', { throttle: {} } as Changes],
  ])('says what to change: %s', (fault, changed) => {
    expect(() => checkChanged(changed)).toThrow(`${durableName} ${fault}`);
  });
});

describe('settingsOf', () => {
  it('gives settings that no reader can change for the others', () => {
    const [{ name } = expect.fail()] = stages;

    const change = () => Object.assign(settingsOf(name).operationThrottle, rate(1));

    expect(change).toThrow(TypeError);
  });

  it('refuses a name that infra/stages.ts lacks, and says which it has', () => {
    const names = stages.map(({ name }) => name).join(', ');

    expect(() => settingsOf('v1-alice')).toThrow(
      `infra/stages.ts has no stage v1-alice: its stages are ${names}.`,
    );
  });
});

describe('sandboxStage', () => {
  it.each(['v1-a', 'v1-fix-404', `v1-${'x'.repeat(37)}`])(
    'gives %s the settings of staging, without an access log',
    (name) => {
      const sandbox = sandboxStage(name);

      const { memoryMb, operationThrottle } = settingsOf(otherName);
      expect(sandbox).toMatchObject({ memoryMb, operationThrottle });
      expect(sandbox).toMatchObject({ name, accessLogRetentionDays: 'none' });
      expect(stageOrSandbox(name)).toEqual(sandbox);
      expect(() => checkStages([sandbox])).not.toThrow();
    },
  );

  it.each([
    'alice',
    'v1-',
    'v1--a',
    'v1-a-',
    'v1-Alice',
    'v1-a_b',
    'v1-a\n',
    `v1-${'x'.repeat(38)}`,
    // Its stack would be that of staging's tables.
    'v1-staging-tables',
  ])('refuses the name "%s", and says what is valid', (name) => {
    expect(() => sandboxStage(name)).toThrow(`"${name}" cannot name a stage. Use v1- and up to 37`);
  });

  it.each(stages)('refuses $name, which is in infra/stages.ts', ({ name }) => {
    expect(() => sandboxStage(name)).toThrow(`${name} is a stage of infra/stages.ts: leave out`);
    expect(stageOrSandbox(name)).toBe(settingsOf(name));
  });
});

/**
 * Returns the units of a call. An item has 1 KB: a write takes a unit, and a list an eighth of one.
 *
 * An update takes two, as in an index whose key it changes. The counter is in no index.
 */
function unitsOf(access: TableAccess) {
  switch (access.action) {
    case 'GetItem':
      return { readUnits: 1, writeUnits: 0 };
    case 'Query':
      return { readUnits: limits.pageSize.max / 8, writeUnits: 0 };
    case 'UpdateItem':
      return { readUnits: 0, writeUnits: access.partitionKey === counterKey ? 1 : 2 };
    case 'PutItem':
      return { readUnits: 0, writeUnits: 1 };
  }
}

describe('tableCeiling', () => {
  it.each(stages)(
    'of $name is enough for every operation at its limit, so that clients get 429 before 503',
    ({ operationThrottle: { requestsPerSecond }, tableCeiling }) => {
      const calls = apiMethods().flatMap(({ name, method }) => {
        const share = name === 'fallback' || method === 'HEAD' ? fallbackThrottleShare : 1;
        // Every function reads the key of a request.
        const readKey: TableAccess = { table: 'apiKeys', action: 'GetItem' };
        const accesses = [readKey, ...(name === 'fallback' ? [] : operations[name].access)];
        return accesses.map((each) => ({ ...each, perSecond: requestsPerSecond * share }));
      });

      // A table has a ceiling, and each of its indexes another one.
      const nameOf = (each: TableAccess) =>
        'index' in each ? `the index ${each.index} of ${each.table}` : each.table;
      for (const [name, ofTable] of Map.groupBy(calls, nameOf)) {
        for (const kind of ['readUnits', 'writeUnits'] as const) {
          const needed = ofTable.reduce(
            (sum, each) => sum + each.perSecond * unitsOf(each)[kind],
            0,
          );
          const message = `raise tableCeiling.${kind} in infra/stages.ts for ${name}`;
          expect(tableCeiling[kind], message).toBeGreaterThanOrEqual(needed);
        }
      }
    },
  );
});
