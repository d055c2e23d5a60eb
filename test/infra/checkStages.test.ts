import { describe, expect, it } from 'vitest';
import { checkStages } from '../../infra/checkStages.ts';
import { type Stage, stages } from '../../infra/stages.ts';
import { stagesWith } from '../helpers/stagesWith.ts';

const account = { id: '111122223333', hasApiGatewayLogRole: true };
const certificateArn = 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f';
const domain = { name: 'api.example.com', certificateArn };

const check = (changed: Partial<Stage>) => checkStages(stagesWith(changed));

describe('checkStages', () => {
  it('accepts the settings of this repository', () => {
    expect(() => checkStages(stages)).not.toThrow();
  });

  it('throws for a durable stage that neither names an alarm recipient nor a reason', () => {
    const [production, staging] = stages.map(({ alarmRecipient, ...stage }) => stage);

    expect(() => checkStages([production as Stage])).toThrow(
      "v1-production: a durable stage needs an alarmRecipient: { email: '…' }, or { none: 'the reason' }.",
    );
    expect(() => checkStages([staging as Stage])).not.toThrow();
    expect(() => check({ alarmRecipient: { none: ' ' } })).toThrow('must say why');
    expect(() => check({ alarmRecipient: { email: 'ops@example.com' } })).not.toThrow();
  });

  it.each<[setting: string, changed: Partial<Stage>]>([
    ['account.id', { account: { ...account, id: '1111' } }],
    ['account.githubRepository', { account: { ...account, githubRepository: 'petstore' } }],
    ['account.githubRepository', { account: { ...account, githubRepository: 'a@1/petstore' } }],
    ['alarmRecipient.email', { alarmRecipient: { email: 'ops' } }],
    ['domain.name', { domain: { ...domain, name: 'https://api.example.com/v1' } }],
    ['domain.certificateArn', { domain: { ...domain, certificateArn: '4c7f' } }],
    ['domain.hostedZone.id', { domain: { ...domain, hostedZone: { id: '', name: 'a.com' } } }],
    ['domain.hostedZone.name', { domain: { ...domain, hostedZone: { id: 'Z1', name: 'com' } } }],
  ])('throws for an invalid %s', (setting, changed) => {
    expect(() => check(changed)).toThrow(`v1-production: ${setting} has the invalid value `);
  });

  it('throws for a size of compressed responses that API Gateway refuses', () => {
    const refused =
      'v1-production: minimumCompressionBytes must be a whole number from 0 to 10485760';

    for (const minimumCompressionBytes of [-1, 0.5, 10_485_761, Number.NaN]) {
      expect(() => check({ minimumCompressionBytes })).toThrow(refused);
    }
    for (const minimumCompressionBytes of [0, 10_485_760]) {
      expect(() => check({ minimumCompressionBytes })).not.toThrow();
    }
  });

  it.each(['*', 'null', 'https://app.example.com/', 'app.example.com', 'https://a.test"'])(
    'throws for the CORS origin %s, which no browser sends',
    (origin) => {
      expect(() => check({ corsOrigins: [origin] })).toThrow('v1-production: corsOrigins has ');
    },
  );

  it.each([-0.1, 1.1, Number.NaN])('throws for a tracedShare of %d', (tracedShare) => {
    expect(() => check({ tracedShare })).toThrow(
      'v1-production: tracedShare must be a number from 0 to 1.',
    );
  });

  it.each(['example/petstore', 'example@123456/petstore@456789'])(
    'accepts the repository %s for a pipeline into accounts that no other stage uses',
    (githubRepository) => {
      const [first, second] = stages as [Stage, Stage];
      const own = { ...first, account: { ...account, githubRepository } };
      const other = (id: string) => ({ ...second, account: { ...account, id } });

      expect(() => checkStages([own, other('444455556666')])).not.toThrow();
      expect(() => checkStages([own, other('111122223333')])).toThrow('share an account');
    },
  );

  it('throws for a pipeline into an account without an id', () => {
    const unknown = { hasApiGatewayLogRole: true, githubRepository: 'example/petstore' };

    expect(() => check({ account: unknown })).toThrow(
      'v1-production: account.githubRepository needs account.id.',
    );
  });
});
