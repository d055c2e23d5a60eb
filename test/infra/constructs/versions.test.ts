import { expect, it } from 'vitest';
import type { Stage } from '../../../infra/stageSchema.ts';
import { bareStage, durableName } from '../../helpers/bareStage.ts';
import { resourcesOf, shortId, synthesise, templateOf } from '../../helpers/templates.ts';

const name = durableName;
const account = '111122223333';
const region = 'eu-west-1';
const certificateArn = `arn:aws:acm:${region}:${account}:certificate/4c7f`;

const stage: Stage = { ...bareStage(name), alarmRecipient: { email: 'ops@example.com' } };

/** Another value for each setting. The name is left out, because another name is another stack. */
const changes: { [Setting in keyof Omit<Required<Stage>, 'name'>]: Stage[Setting][] } = {
  account: [{ id: account }, { id: account, region }, { id: account, githubRepository: 'a/b' }],
  alarmRecipient: [{ none: 'This is a test.' }],
  lowUrgencyRecipient: [{ email: 'developers@example.com' }],
  domain: [{ name: 'api.example.com', certificateArn }],
  corsOrigins: [['https://app.example.com']],
  isDurable: [false],
  idsPerLease: [7],
  memoryMb: [1024],
  logRetentionDays: [30],
  accessLogRetentionDays: [30],
  trafficShift: ['allAtOnce'],
  operationThrottle: [{ requestsPerSecond: 120, burstRequests: 400 }],
  firewall: [undefined],
};

/** Returns each version's id and what Lambda sees of its function: not the bucket of its code. */
function versionsWith(changed: Partial<Stage>): [id: string, lambdaSees: string][] {
  const template = templateOf(synthesise([{ ...stage, ...changed }]), `PetStore-${name}`);
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

const before = versionsWith({});

it.each(Object.entries(changes))(
  'a changed setting publishes no version of a function that stays as it is for Lambda: %s',
  (setting, values) => {
    for (const value of values) {
      for (const [index, [id, lambdaSees]] of versionsWith({ [setting]: value }).entries()) {
        const [idBefore, lambdaSawBefore] = before[index] ?? [];
        expect(id === idBefore).toBe(lambdaSees === lambdaSawBefore);
      }
    }
  },
);
