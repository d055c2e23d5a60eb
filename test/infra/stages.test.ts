import { describe, expect, it } from 'vitest';
import { checkStages, type Stage } from '../../infra/stageSchema.ts';
import { sandboxStage, settingsOf, stageOrSandbox, stages } from '../../infra/stages.ts';
import { bareStage, durableName, otherName } from '../helpers/bareStage.ts';

const production = bareStage(durableName);
const staging = bareStage(otherName);
const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
const recipient = { email: 'ops@example.com' };
const domain = { name: 'api.example.com', certificateArn };

const rate = (requestsPerSecond: number) => ({
  requestsPerSecond,
  burstRequests: requestsPerSecond,
});
const firewall = { requestsPerMinuteAndAddress: 90 * 60, requestsPerMinuteAndApiKey: 90 * 60 };
const pipeline = { account: { id: '111122223333' }, githubRepository: 'example/petstore' };

type Changes = { [Setting in keyof Stage]?: unknown };

describe('checkStages', () => {
  it.each<[fault: string, changed: Changes]>([
    ['githubRepository: Use ', { ...pipeline, githubRepository: 'a@1/b' }],
    ['account.id: Name the account', { ...pipeline, account: {} }],
    // A pipeline may do anything in its account.
    [`account.id: Use another account than ${otherName}`, pipeline],
    ['alarmRecipient: A durable stage needs', { alarmRecipient: undefined }],
    ['alarmRecipient.none: Say why', { alarmRecipient: { none: ' ' } }],
    ['alarmRecipient.email: Invalid email address', { alarmRecipient: { email: 'ops' } }],
    ['alarmRecipient.https: Use an https address', { alarmRecipient: { https: 'http://a.b' } }],
    ['lowUrgencyRecipient: Name an alarmRecipient', { lowUrgencyRecipient: recipient }],
    ['accessLogRetentionDays: Use a number of days', { accessLogRetentionDays: 'none' }],
    ['domain.name: Use a name', { domain: { ...domain, name: 'https://api.example.com/v1' } }],
    ['domain.certificateArn: Use the ARN', { domain: { ...domain, certificateArn: '4c7f' } }],
    ['domain.hostedZone.id: ', { domain: { ...domain, hostedZone: { id: '', name: 'a.com' } } }],
    ['corsOrigins.0: Use an origin', { corsOrigins: ['https://App.example.com'] }],
    ['corsOrigins.0: Use an origin', { corsOrigins: ['https://a.test"'] }],
    ...Object.entries(firewall).map(([name, limit]): [string, Changes] => [
      `firewall.${name}: Use at most 5400`,
      { operationThrottle: rate(90), firewall: { ...firewall, [name]: limit + 1 } },
    ]),
    [': Unrecognized key: "throttle"', { throttle: {} } as Changes],
  ])('says what to change: %s', (fault, changed) => {
    const stages = [production, staging].map((stage) => ({ ...stage, ...changed }) as Stage);

    expect(() => checkStages(stages)).toThrow(`${durableName} ${fault}`);
  });

  it.each(['example/petstore', 'example@123456/petstore@456789'])(
    'accepts settings at their limits, and the repository %s',
    (githubRepository) => {
      const atLimits = {
        ...production,
        ...pipeline,
        githubRepository,
        alarmRecipient: recipient,
        lowUrgencyRecipient: recipient,
        domain: { ...domain, name: 'example.com', hostedZone: { id: 'Z1', name: 'example.com' } },
        operationThrottle: rate(90),
        firewall,
      };

      expect(() => checkStages([atLimits, staging])).not.toThrow();
    },
  );
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
    ...['alice', 'v1-', 'v1--a', 'v1-a-', 'v1-Alice', 'v1-a_b'],
    ...['v1-a\n', `v1-${'x'.repeat(38)}`],
  ])('refuses the name "%s", and says what is valid', (name) => {
    expect(() => sandboxStage(name)).toThrow(`"${name}" cannot name a stage. Use v1- and up to 37`);
  });

  it.each(stages)('refuses $name, which is in infra/stages.ts', ({ name }) => {
    expect(() => sandboxStage(name)).toThrow(`${name} is a stage of infra/stages.ts: leave out`);
    expect(stageOrSandbox(name)).toBe(settingsOf(name));
  });
});
