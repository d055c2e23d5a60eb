import { stackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { bareStage, durableName, otherName } from './bareStage.ts';
import { synthesise, templateOf } from './templates.ts';

/** Every setting, so that no test misses a new one. */
export const fullProductionStage: Required<Stage> = {
  ...bareStage(durableName),
  account: { id: '111122223333', region: 'eu-west-1' },
  corsOrigins: ['https://app.example.com', 'https://admin.example.com'],
  domain: {
    name: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f',
    hostedZone: { id: 'Z0123456789', name: 'example.com' },
  },
  firewall: { requestsPerMinuteAndAddress: 600, requestsPerMinuteAndApiKey: 600 },
  monitoring: { recipient: { https: 'https://pager.example.com/sns' } },
  githubRepository: 'example/petstore',
};

const staging: Stage = {
  ...fullProductionStage,
  ...bareStage(otherName),
  account: { id: '444455556666' },
  githubRepository: 'example@12/petstore@34',
  domain: {
    name: 'staging.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:444455556666:certificate/4c7f',
  },
  monitoring: { recipient: { email: 'ops@example.com' } },
};

/** Production and staging, each in an account of its own, with every optional setting. */
export const fullStacks = synthesise([fullProductionStage, staging]);
export const fullProduction = templateOf(fullStacks, stackName(durableName));
export const fullStaging = templateOf(fullStacks, stackName(otherName));
export const fullPipeline = templateOf(fullStacks, 'PetStore-pipeline-111122223333');
