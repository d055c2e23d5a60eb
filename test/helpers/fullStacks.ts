import { stackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { bareStage, durableName, otherName } from './bareStage.ts';
import { synthesise, templateOf } from './templates.ts';

const optional: Partial<Stage> = {
  corsOrigins: ['https://app.example.com', 'https://admin.example.com'],
  firewall: { requestsPerMinuteAndAddress: 600, requestsPerMinuteAndApiKey: 600 },
};
const githubRepository = 'example/petstore';

export const fullProductionStage: Stage = {
  ...bareStage(durableName),
  ...optional,
  account: { id: '111122223333', region: 'eu-west-1' },
  githubRepository,
  alarmRecipient: { https: 'https://pager.example.com/sns' },
  lowUrgencyRecipient: { email: 'ops@example.com' },
  domain: {
    name: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f',
    hostedZone: { id: 'Z0123456789', name: 'example.com' },
  },
};
const staging: Stage = {
  ...bareStage(otherName),
  ...optional,
  account: { id: '444455556666' },
  githubRepository,
  alarmRecipient: { email: 'ops@example.com' },
  domain: {
    name: 'staging.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:444455556666:certificate/4c7f',
  },
};

/** Production and staging, each in an account of its own, with every optional setting. */
export const fullStacks = synthesise([fullProductionStage, staging]);
export const fullProduction = templateOf(fullStacks, stackName(durableName));
export const fullStaging = templateOf(fullStacks, stackName(otherName));
