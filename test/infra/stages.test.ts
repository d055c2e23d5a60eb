import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkStages, type Stage } from '../../infra/stageRules.ts';
import { sandboxStage, settingsOf, stages } from '../../infra/stages.ts';
import { largestPetBytes, tableDemand } from '../../infra/tableDemand.ts';
import { toPetItem } from '../../lib/pets/petStore.ts';
import { petStatuses } from '../../lib/schemas.ts';
import { bareStage } from '../helpers/bareStage.ts';
import { largestPet } from '../helpers/samplePets.ts';

const production = bareStage('v1-production');
const staging = bareStage('v1-staging');
const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
const domain = { name: 'api.example.com', certificateArn };

const units = (number: number) => ({ readUnits: number, writeUnits: number });
const rate = (requestsPerSecond: number, burstRequests = requestsPerSecond) => ({
  requestsPerSecond,
  burstRequests,
});

const check = (changed: Partial<Stage>) =>
  checkStages([production, staging].map((stage) => ({ ...stage, ...changed })));

describe('checkStages', () => {
  it('refuses a durable stage without an alarm recipient or a reason', () => {
    const { alarmRecipient, ...silent } = production;

    expect(() => checkStages([silent])).toThrow(
      'v1-production alarmRecipient: A durable stage needs',
    );
    expect(() => check({ alarmRecipient: { none: ' ' } })).toThrow('alarmRecipient.none: Say why');
    expect(() => check({ alarmRecipient: { email: 'ops@example.com' } })).not.toThrow();
  });

  it.each<[fault: string, changed: Partial<Stage>]>([
    ['account.id: Use the 12 digits', { account: { id: '1111' } }],
    [
      'account.githubRepository: Use owner/name',
      { account: { id: '111122223333', githubRepository: 'a@1/b' } },
    ],
    ['account.id: Name the account', { account: { githubRepository: 'example/petstore' } }],
    ['alarmRecipient.email: Invalid email address', { alarmRecipient: { email: 'ops' } }],
    ['alarmRecipient.https: Use an https address', { alarmRecipient: { https: 'http://a.b' } }],
    ['account.region: Use a Region', { account: { region: 'Ireland' } }],
    ['domain.certificateArn: Use a certificate of', { account: { region: 'eu-west-2' }, domain }],
    ['domain.name: Use a name', { domain: { ...domain, name: 'https://api.example.com/v1' } }],
    ['domain.certificateArn: Use the ARN', { domain: { ...domain, certificateArn: '4c7f' } }],
    ['domain.hostedZone.id: ', { domain: { ...domain, hostedZone: { id: '', name: 'a.com' } } }],
    [
      'domain.hostedZone.name: Use the zone that contains api.example.com',
      { domain: { ...domain, hostedZone: { id: 'Z1', name: 'i.example.com' } } },
    ],
    ['domain.certificateArn: Use a certificate of', { account: { id: '444455556666' }, domain }],
    ['domain.name: Use another name', { domain }],
    ['name: Use another name', { name: production.name }],
    ['tableCeiling.readUnits: Use at most 40000', { tableCeiling: units(40_001) }],
    ['operationThrottle.burstRequests: Use at least 90', { operationThrottle: rate(90, 89) }],
    ['corsOrigins.0: Use an origin', { corsOrigins: ['https://app.example.com/'] }],
    ['corsOrigins.0: Use an origin', { corsOrigins: ['https://App.example.com'] }],
    ['corsOrigins.0: Use an origin', { corsOrigins: ['https://a.test"'] }],
    ['operationThrottle.requestsPerSecond: Use at most 500', { operationThrottle: rate(501) }],
    [': Unrecognized key: "throttle"', { throttle: {} } as Partial<Stage>],
  ])('says what to change: %s', (fault, changed) => {
    expect(() => check(changed)).toThrow(`v1-production ${fault}`);
  });

  it('accepts settings at the limits of AWS', () => {
    const zone = { id: 'Z1', name: 'example.com' };
    const limits = {
      account: { id: '111122223333' },
      domain: { ...domain, name: zone.name, hostedZone: zone },
      operationThrottle: rate(90),
      tableCeiling: units(40_000),
    };

    expect(() => checkStages([{ ...staging, ...limits }])).not.toThrow();
  });

  it.each(['requestsPerMinuteAndAddress', 'requestsPerMinuteAndApiKey'])(
    'refuses a firewall whose %s exceeds the rate of an operation',
    (name) => {
      const operationThrottle = { requestsPerSecond: 10, burstRequests: 10 };
      const firewall = { requestsPerMinuteAndAddress: 600, requestsPerMinuteAndApiKey: 600 };

      expect(() => check({ operationThrottle, firewall })).not.toThrow();
      expect(() => check({ operationThrottle, firewall: { ...firewall, [name]: 601 } })).toThrow(
        `firewall.${name}: Use at most 600`,
      );
    },
  );

  it.each(['readUnits', 'writeUnits'] as const)(
    'refuses %s that all methods together exceed, because clients must get 429 before 503',
    (name) => {
      const needed = tableDemand(staging.operationThrottle.requestsPerSecond);
      const tooFew = { ...staging, tableCeiling: { ...needed, [name]: needed[name] - 1 } };

      expect(() => checkStages([tooFew])).toThrow(
        `tableCeiling.${name}: Use at least ${needed[name]}`,
      );
      expect(() => checkStages([{ ...staging, tableCeiling: needed }])).not.toThrow();
    },
  );

  it.each(['example/petstore', 'example@123456/petstore@456789'])(
    'accepts the repository %s for a pipeline into an account that no other stage uses',
    (githubRepository) => {
      const own = { ...production, account: { id: '111122223333', githubRepository } };
      const other = (id: string) => ({ ...staging, account: { id } });

      expect(() => checkStages([own, other('444455556666')])).not.toThrow();
      expect(() => checkStages([own, other('111122223333')])).toThrow(
        'v1-production account.id: Use another account than v1-staging',
      );
    },
  );
});

describe('sandboxStage', () => {
  it.each(['v1-a', 'v1-fix-404', `v1-${'x'.repeat(37)}`])(
    'gives %s the settings of staging, without an access log',
    (name) => {
      const sandbox = sandboxStage(name);

      const { memoryMb, operationThrottle, tableCeiling } = staging;
      expect(sandbox).toMatchObject({ memoryMb, operationThrottle, tableCeiling });
      expect(sandbox).toMatchObject({ name, accessLogRetentionDays: 'none' });
      expect(settingsOf(name)).toEqual(sandbox);
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
  ])('refuses the name "%s", and says what is valid', (name) => {
    expect(() => sandboxStage(name)).toThrow(`"${name}" cannot name a stage. Use v1- and up to 37`);
  });

  it.each(stages)('refuses $name, which is in infra/stages.ts', ({ name }) => {
    expect(() => sandboxStage(name)).toThrow(`${name} is a stage of infra/stages.ts: leave out`);
    expect(settingsOf(name).name).toBe(name);
  });
});

describe('tableDemand', () => {
  it('is enough for lists and creations of the largest pets', () => {
    // No shorter than the item by the rules of DynamoDB.
    const bytes = JSON.stringify(toPetItem(largestPet, randomUUID()));
    const { readUnits, writeUnits } = tableDemand(100);

    expect(
      Buffer.byteLength(bytes),
      'see largestPetBytes in infra/tableDemand.ts',
    ).toBeLessThanOrEqual(largestPetBytes);
    const page = Math.ceil((100 * largestPetBytes) / 4096) / 2;
    expect(readUnits).toBeGreaterThanOrEqual(100 * petStatuses.length * page);
    // The counter, and the pet in the table or its index.
    expect(writeUnits).toBeGreaterThanOrEqual(100 * (1 + Math.ceil(largestPetBytes / 1024)));
  });
});
