import type { Construct } from 'constructs';

/** Features that a deployment can leave out, for emulators. */
export const features = ['codeDeploy', 'waf', 'backup', 'accessLogs', 'tracing', 'alarms'] as const;

type Feature = (typeof features)[number];

/** The changes of one deployment, from the command line: `-c key=value`. */
export type DeploymentContext = {
  without: ReadonlySet<Feature>;
  /** Whether each authenticated request fails, for the rollback drill. */
  hasFault: boolean;
};

/** Former keys, which settings of `infra/stages.ts` replace. */
const replacedKey = /^(alarmEmail|githubRepository|.+:(domainName|certificateArn|hostedZone\w+))$/;

/**
 * Reads the context of the app: `without` (a comma-separated list) and `fault` (`on` or `off`).
 *
 * Throws for an unknown value and for a former key: a typo must not change a deployment.
 */
export function deploymentContext({ node }: Construct): DeploymentContext {
  const replaced = Object.keys(node.getAllContext()).find((key) => replacedKey.test(key));
  if (replaced) {
    throw new Error(
      `The context "${replaced}" has no effect: use the settings of infra/stages.ts.`,
    );
  }
  return {
    without: readFeatures(node.tryGetContext('without')),
    hasFault: readFault(node.tryGetContext('fault')),
  };
}

function readFeatures(value: unknown): ReadonlySet<Feature> {
  const words = String(value ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const unknown = words.find((word) => !features.some((feature) => feature === word));
  if (unknown) {
    throw new Error(
      `The context "without" must list features out of ${features.join(', ')}, but has "${unknown}".`,
    );
  }
  return new Set(words as Feature[]);
}

function readFault(value: unknown): boolean {
  if (value === undefined || value === '') return false;
  if (value !== 'on' && value !== 'off') {
    throw new Error(`The context "fault" has the invalid value ${JSON.stringify(value)}.`);
  }
  return value === 'on';
}
