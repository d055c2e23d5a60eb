import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { stackName } from '../../../infra/core/stackNames.ts';
import type { Stage } from '../../../infra/stageSchema.ts';
import { bareStage, durableName } from '../../helpers/bareStage.ts';
import {
  production,
  resourcesOf,
  shortId,
  synthesise,
  templateOf,
} from '../../helpers/templates.ts';

const name = durableName;
const account = '111122223333';
const region = 'eu-west-1';
const certificateArn = `arn:aws:acm:${region}:${account}:certificate/4c7f`;

/** Another value of each setting that functions see. */
const seen = { corsOrigins: ['https://app.example.com'], idsPerLease: 7, memoryMb: 1024 };

/** Another value of each other setting. The name is left out, because another name is another stack. */
const unseen: {
  [Setting in keyof Omit<Required<Stage>, 'name' | keyof typeof seen>]: Stage[Setting];
} = {
  account: { id: account },
  githubRepository: 'a/b',
  alarmRecipient: { email: 'ops@example.com' },
  lowUrgencyRecipient: { email: 'developers@example.com' },
  domain: { name: 'api.example.com', certificateArn },
  isDurable: false,
  logRetentionDays: 30,
  accessLogRetentionDays: 30,
  trafficShift: 'allAtOnce',
  operationThrottle: { requestsPerSecond: 120, burstRequests: 400 },
  firewall: undefined,
};

/** Returns each version's id and what Lambda sees of its function: not the bucket of its code. */
function versionsOf(template: Template): [id: string, lambdaSees: string][] {
  const functions = new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map(([id, { Properties }]) => [
      shortId(id),
      Properties,
    ]),
  );
  return resourcesOf(template, 'AWS::Lambda::Version').map(([id]) => {
    const { Code, Tags, ...properties } =
      functions.get(shortId(id).replace(/CurrentVersion$/, '')) ?? {};
    const lambdaSees = JSON.stringify({ S3Key: Code.S3Key, ...properties })
      .replaceAll('<AWS::AccountId>', account)
      .replaceAll('<AWS::Region>', region);
    return [id, lambdaSees];
  });
}

const before = versionsOf(production);

it.each<[what: string, changed: Partial<Stage>]>([
  ['that functions see', seen],
  ['that no function sees', unseen],
  ['of the account', { account: { id: account } }],
  ['of the account and the Region', { account: { id: account, region } }],
])(
  'changed settings %s publish a version of each function that changes for Lambda, and of no other',
  (_, changed) => {
    const app = synthesise([{ ...bareStage(name), ...changed }]);

    const versions = versionsOf(templateOf(app, stackName(name)));

    expect(versions).toHaveLength(before.length);
    for (const [index, [id, lambdaSees]] of versions.entries()) {
      const [idBefore, lambdaSawBefore] = before[index] ?? [];
      expect(id === idBefore).toBe(lambdaSees === lambdaSawBefore);
    }
  },
);
