import { CoreSettings, SettingsError, type Stage, StageName } from './stageSchema.ts';

// The settings of all deployments. `stageSchema.ts` explains each setting, and refuses wrong values. The name of
// a stage begins with `v1-`, the major version of the interface. You may add stages, such as `v1-demo`. With
// `githubRepository`, a stage needs a job in `.github/workflows/deploy.yml` too.

/** The account and Region of both stages: those of the deploying credentials. The CDK warns until you name them. */
const account: Stage['account'] = {};

const staging: Stage = {
  name: 'v1-staging',
  account,
  isDurable: false,
  idsPerLease: 10,
  memoryMb: 512,
  // A release of staging is soon replaced by the next one.
  logRetentionDays: 30,
  accessLogRetentionDays: 30,
  // The smoke test sends 120 creates in 3 s, most of them invalid, and 7 requests at once to one method of the fallback.
  operationThrottle: { requestsPerSecond: 45, burstRequests: 270 },
  // Less than production, because the throttle is lower.
  tableCeiling: { readUnits: 1000, writeUnits: 1000 },
};

export const stages: readonly Stage[] = freeze([
  {
    name: 'v1-production',
    account,
    isDurable: true,
    idsPerLease: 10,
    memoryMb: 512,
    logRetentionDays: 365,
    accessLogRetentionDays: 90,
    operationThrottle: { requestsPerSecond: 150, burstRequests: 300 },
    tableCeiling: { readUnits: 3000, writeUnits: 1000 },
    // Below the rate of an operation, so that one client leaves some of it to the others.
    firewall: { requestsPerMinuteAndAddress: 6000, requestsPerMinuteAndApiKey: 4500 },
    // The CDK warns until you add its `recipient`, which this repository cannot know.
    monitoring: {},
  },
  staging,
]);

/**
 * Returns the settings of a sandbox, the stage of a developer or a branch.
 *
 * The sandbox has the core's settings of `like`, by default staging, but no access log and no part.
 */
export function sandboxStage(name: string, like = staging): Stage {
  const { error } = StageName.safeParse(name);
  if (error) throw new SettingsError(`"${name}" cannot name a stage. ${error.issues[0]?.message}`);
  if (stages.some((stage) => stage.name === name)) {
    throw new SettingsError(`${name} is a stage of infra/stages.ts: leave out -c stage.`);
  }
  const settings = CoreSettings.parse(like);
  return { ...settings, name, isDurable: false, accessLogRetentionDays: 'none' };
}

/** Returns the settings of one of `stages`. Throws for another name. */
export function settingsOf(name: string): Stage {
  const stage = stages.find((each) => each.name === name);
  if (stage) return stage;
  const names = stages.map((each) => each.name).join(', ');
  throw new SettingsError(`infra/stages.ts has no stage ${name}: its stages are ${names}.`);
}

/** Returns the settings of one of `stages`, or of the sandbox with this name. */
export function stageOrSandbox(name: string): Stage {
  return stages.find((stage) => stage.name === name) ?? sandboxStage(name);
}

/** Freezes settings and what they contain, because every reader gets the same objects. */
function freeze<Settings extends object>(settings: Settings): Settings {
  for (const each of Object.values(settings)) if (typeof each === 'object') freeze(each);
  return Object.freeze(settings);
}
