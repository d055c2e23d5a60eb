import type { Stage } from '../../infra/stageRules.ts';
import { settingsOf } from '../../infra/stages.ts';

// Not in templates.ts, which takes a second to load.

/** A stage without an account, a recipient, a domain and origins, which a fork may have set. */
export function bareStage(name: string): Stage {
  const { domain, corsOrigins, ...stage } = settingsOf(name);
  return { ...stage, account: {}, alarmRecipient: { none: 'This is a test.' } };
}

const githubRepository = 'example/petstore';

const optional: Partial<Stage> = {
  corsOrigins: ['https://app.example.com'],
  firewall: { requestsPerMinuteAndAddress: 600, requestsPerMinuteAndApiKey: 600 },
};

/** Production and staging, each in an account of its own, with a pipeline and every optional setting. */
export const stagesWithEverything: Stage[] = [
  {
    ...bareStage('v1-production'),
    ...optional,
    account: { id: '111122223333', region: 'eu-west-1', githubRepository },
    alarmRecipient: { https: 'https://pager.example.com/sns' },
    domain: {
      name: 'api.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f',
      hostedZone: { id: 'Z0123456789', name: 'example.com' },
    },
  },
  {
    ...bareStage('v1-staging'),
    ...optional,
    account: { id: '444455556666', githubRepository },
    alarmRecipient: { email: 'ops@example.com' },
    domain: {
      name: 'staging.example.com',
      certificateArn: 'arn:aws:acm:eu-west-1:444455556666:certificate/4c7f',
    },
  },
];
