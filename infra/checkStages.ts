import type { Stage } from './stages.ts';

const domainName = /^([a-z\d-]+\.)+[a-z]+$/;

/** A repository in the tokens of its workflows: with ids, if it was created since 15 July 2026. */
const repositoryName = /^[\w.-]+\/[\w.-]+$|^[\w.-]+@\d+\/[\w.-]+@\d+$/;

/** Throws for settings that no deployment may have. A typo must not change a deployment. */
export function checkStages(stages: readonly Stage[]): void {
  for (const stage of stages) {
    checkAlarmRecipient(stage);
    checkTexts(stage);
    checkPipeline(stage, stages);
    checkCompression(stage);
    checkTracedShare(stage);
    const notAnOrigin = stage.corsOrigins?.find((origin) => !isOrigin(origin));
    if (notAnOrigin !== undefined) {
      throw new Error(
        `${stage.name}: corsOrigins has ${JSON.stringify(notAnOrigin)}, which is no origin such as https://app.example.com.`,
      );
    }
  }
}

function checkAlarmRecipient({ name, isDurable, alarmRecipient }: Stage): void {
  if (alarmRecipient && 'none' in alarmRecipient && !alarmRecipient.none.trim()) {
    throw new Error(`${name}: alarmRecipient.none must say why no alarm is mailed.`);
  }
  if (isDurable && !alarmRecipient) {
    throw new Error(
      `${name}: a durable stage needs an alarmRecipient: { email: '…' }, or { none: 'the reason' }.`,
    );
  }
}

function checkTexts({ name, account, alarmRecipient = { none: '' }, domain }: Stage): void {
  const texts: [setting: string, value: string | undefined, pattern: RegExp][] = [
    ['account.id', account.id, /^\d{12}$/],
    ['account.githubRepository', account.githubRepository, repositoryName],
    [
      'alarmRecipient.email',
      'email' in alarmRecipient ? alarmRecipient.email : undefined,
      /^[^@\s]+@[^@\s]+$/,
    ],
    ['domain.name', domain?.name, domainName],
    ['domain.certificateArn', domain?.certificateArn, /^arn:[\w-]+:acm:/],
    ['domain.hostedZone.id', domain?.hostedZone?.id, /^\w+$/],
    ['domain.hostedZone.name', domain?.hostedZone?.name, domainName],
  ];
  for (const [setting, value, pattern] of texts) {
    if (value !== undefined && !pattern.test(value)) {
      throw new Error(`${name}: ${setting} has the invalid value ${JSON.stringify(value)}.`);
    }
  }
}

/** API Gateway would refuse another number in the middle of a deployment. */
function checkCompression({ name, minimumCompressionBytes: bytes = 0 }: Stage): void {
  if (!Number.isInteger(bytes) || bytes < 0 || bytes > 10_485_760) {
    throw new Error(
      `${name}: minimumCompressionBytes must be a whole number from 0 to 10485760, or absent.`,
    );
  }
}

/** A share, not a percentage: X-Ray is billed by the trace. */
function checkTracedShare({ name, tracedShare }: Stage): void {
  if (!(tracedShare >= 0 && tracedShare <= 1)) {
    throw new Error(`${name}: tracedShare must be a number from 0 to 1.`);
  }
}

/**
 * A deployment role of the pipeline uses the roles of `cdk bootstrap`, which may change every stack of
 * their account. So the jobs of one stage must not reach the account of another.
 */
function checkPipeline({ name, account }: Stage, stages: readonly Stage[]): void {
  if (!account.githubRepository) return;
  if (!account.id) throw new Error(`${name}: account.githubRepository needs account.id.`);
  const other = stages.find((each) => each.name !== name && each.account.id === account.id);
  if (other) {
    throw new Error(
      `${name} and ${other.name} share an account: what deploys one could change the other. With account.githubRepository, each stage needs its own.`,
    );
  }
}

/** Whether a text is an origin exactly as browsers send it: `https://app.example.com`. */
function isOrigin(text: string): boolean {
  const isWellFormed = /^https?:\/\/([\w.-]+|\[[\da-f:]+\])(:\d+)?$/.test(text);
  return isWellFormed && URL.canParse(text) && new URL(text).origin === text;
}
