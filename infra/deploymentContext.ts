import type { Construct } from 'constructs';
import type { Stage } from './stages.ts';

/** What a deployment may go without, for emulators that lack it and accounts that do not pay for it. */
const features = ['codeDeploy', 'waf', 'backup', 'accessLogs', 'tracing', 'alarms'] as const;

type Feature = (typeof features)[number];

/** An address of the operators' own, in place of API Gateway's. */
export type CustomDomain = {
  name: string;
  /** Of a certificate in the Region of the stack. */
  certificateArn: string;
  /** The zone of Route 53 that gets the record; without one it is made by hand. */
  hostedZone?: { id: string; name: string };
};

/** What one deployment says on the command line (`-c key=value`) or in `cdk.json`. */
export type DeploymentContext = {
  without: ReadonlySet<Feature>;
  /** Who gets the alarms by mail. */
  alarmEmail?: string;
  /** The GitHub repository whose workflows may deploy: `owner@id/name@id`, or `owner/name`. */
  githubRepository?: string;
  /** Whether each authenticated request fails, for the rollback drill. */
  hasFault: boolean;
  domainOf: (stage: Pick<Stage, 'name'>) => CustomDomain | undefined;
};

/** As the tokens of its workflows name it: with ids where it was made since 15 July 2026. */
const repositoryForm = /^[\w.-]+\/[\w.-]+$|^[\w.-]+@\d+\/[\w.-]+@\d+$/;

/**
 * Reads the context of the app.
 *
 * `without` (words with commas between), `alarmEmail`, `githubRepository`, `fault` (`on` or `off`),
 * and for each stage `<stage>:domainName`, `<stage>:certificateArn`, `<stage>:hostedZoneId` and
 * `<stage>:hostedZoneName`. Throws for a value that it does not know: a misspelt one would deploy
 * what nobody asked for.
 */
export function deploymentContext({ node }: Construct): DeploymentContext {
  const read = (key: string) => node.tryGetContext(key) as unknown;
  const githubRepository = readText(read, 'githubRepository', repositoryForm);
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
    throw new Error(`The context "without" takes ${features.join(', ')}; not "${unknown}".`);
  }
  return new Set(words as Feature[]);
}

function readDomain(read: ReadContext, stageName: string): CustomDomain | undefined {
  const readOfStage = (key: string, form: RegExp) => readText(read, `${stageName}:${key}`, form);
  const name = readOfStage('domainName', /^([a-z\d-]+\.)+[a-z]+$/);
  const certificateArn = readOfStage('certificateArn', /^arn:[\w-]+:acm:/);
  const zoneId = readOfStage('hostedZoneId', /^\w+$/);
  const zoneName = readOfStage('hostedZoneName', /^([a-z\d-]+\.)+[a-z]+$/);
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
  throw new Error(`The contexts "${stageName}:${first?.[0]}" and "${stageName}:${second?.[0]}" \
belong together: one of them is missing.`);
}

function readText(read: ReadContext, key: string, form: RegExp): string | undefined {
  const value = read(key);
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || !form.test(value)) {
    throw new Error(`The context "${key}" does not take ${JSON.stringify(value)}.`);
  }
  return value;
}
