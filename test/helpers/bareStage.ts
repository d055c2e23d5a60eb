import { checkStages, type Stage } from '../../infra/stageSchema.ts';
import { stages } from '../../infra/stages.ts';

// Not in templates.ts, which takes a second to load.

/** The name of the durable stage. */
export const durableName = nameOf(true);

/** The name of a stage that is not durable. */
export const otherName = nameOf(false);

function nameOf(isDurable: boolean): string {
  const stage = stages.find((each) => each.isDurable === isDurable);
  if (!stage) throw new Error(`infra/stages.ts needs a stage with isDurable: ${isDurable}.`);
  return stage.name;
}

/**
 * A stage without settings that name something outside its stack.
 *
 * Only the name is from `infra/stages.ts`: after an operator has changed a setting there in an
 * incident, the tests need nothing but `npm run synth`.
 */
export function bareStage(name: string): Stage {
  return {
    name,
    account: {},
    isDurable: name === durableName,
    idsPerLease: 10,
    memoryMb: 512,
    logRetentionDays: 365,
    accessLogRetentionDays: 90,
    operationThrottle: { requestsPerSecond: 150, burstRequests: 300 },
    tableCeiling: { readUnits: 3000, writeUnits: 1000 },
    ...(name === durableName && {
      firewall: { requestsPerMinuteAndAddress: 6000, requestsPerMinuteAndApiKey: 4500 },
      monitoring: { recipient: { none: 'This is a test.' } },
    }),
  };
}

export type Changes = { [Setting in keyof Stage]?: unknown };

/** Checks the settings of both stages after changes. Throws if no deployment may have them. */
export function checkChanged(changed: Changes): void {
  const stages = [durableName, otherName].map(bareStage);
  checkStages(stages.map((stage) => ({ ...stage, ...changed }) as Stage));
}
