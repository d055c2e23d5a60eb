import type { Construct } from 'constructs';
import type { Stage } from './stages.ts';

/** Features that a deployment can leave out, for emulators and for accounts that save costs. */
const features = ['codeDeploy', 'waf', 'backup', 'accessLogs', 'tracing', 'alarms'] as const;

type Feature = (typeof features)[number];

/** A custom domain, in place of API Gateway's own address. */
export type CustomDomain = {
  name: string;
  /** A certificate in the Region of the stack. */
  certificateArn: string;
  /** The Route 53 zone for the DNS record. Without it, the record is created by hand. */
  hostedZone?: { id: string; name: string };
};

/** The settings of one deployment, from the command line (`-c key=value`) or `cdk.json`. */
export type DeploymentContext = {
  without: ReadonlySet<Feature>;
  /** The mail address for alarms. */
  alarmEmail?: string;
  /** The GitHub repository whose workflows may deploy: `owner@id/name@id`, or `owner/name`. */
  githubRepository?: string;
  /** Whether each authenticated request fails, for the rollback drill. */
  hasFault: boolean;
  domainOf: (stage: Pick<Stage, 'name'>) => CustomDomain | undefined;
};

/** The name in the tokens of its workflows: with ids for repositories created since 15 July 2026. */
const repositoryPattern = /^[\w.-]+\/[\w.-]+$|^[\w.-]+@\d+\/[\w.-]+@\d+$/;

/**
 * Reads the context of the app.
 *
 * The keys are `without` (a comma-separated list), `alarmEmail`, `githubRepository`, `fault` (`on` or
 * `off`), and for each stage `<stage>:domainName`, `<stage>:certificateArn`, `<stage>:hostedZoneId`
 * and `<stage>:hostedZoneName`. Throws for an unknown value: a typo must not change a deployment.
 */
export function deploymentContext({ node }: Construct): DeploymentContext {
  const read = (key: string) => node.tryGetContext(key) as unknown;
  const githubRepository = readText(read, 'githubRepository', repositoryPattern);
  const alarmEmail = readText(read, 'alarmEmail', /^[^@\s]+@[^@\s]+$/);
  return {
    without: readFeatures(read('without')),
    ...(alarmEmail && { alarmEmail }),
    ...(githubRepository && { githubRepository }),
    hasFault: readText(read, 'fault', /^(on|off)$/) === 'on',
    domainOf: ({ name }) => readDomain(read, name),
  };
}

type ReadContext = (key: string) => unknown;

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

function readDomain(read: ReadContext, stageName: string): CustomDomain | undefined {
  const readForStage = (key: string, pattern: RegExp) =>
    readText(read, `${stageName}:${key}`, pattern);
  const name = readForStage('domainName', /^([a-z\d-]+\.)+[a-z]+$/);
  const certificateArn = readForStage('certificateArn', /^arn:[\w-]+:acm:/);
  const zoneId = readForStage('hostedZoneId', /^\w+$/);
  const zoneName = readForStage('hostedZoneName', /^([a-z\d-]+\.)+[a-z]+$/);
  requireBoth(stageName, { domainName: name, certificateArn });
  requireBoth(stageName, { hostedZoneId: zoneId, hostedZoneName: zoneName });
  if (zoneId) requireBoth(stageName, { hostedZoneId: zoneId, domainName: name });
  if (!name || !certificateArn) return undefined;
  return {
    name,
    certificateArn,
    ...(zoneId && zoneName && { hostedZone: { id: zoneId, name: zoneName } }),
  };
}

function requireBoth(stageName: string, values: Record<string, string | undefined>): void {
  const [first, second] = Object.entries(values);
  if (!first?.[1] === !second?.[1]) return;
  throw new Error(
    `The contexts "${stageName}:${first?.[0]}" and "${stageName}:${second?.[0]}" must be set together: one of them is missing.`,
  );
}

function readText(read: ReadContext, key: string, pattern: RegExp): string | undefined {
  const value = read(key);
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || !pattern.test(value)) {
    throw new Error(`The context "${key}" has the invalid value ${JSON.stringify(value)}.`);
  }
  return value;
}
