import type { Stage } from '../../infra/stageRules.ts';
import { stages } from '../../infra/stages.ts';

/** The stages with other settings. Not in templates.ts, which takes a second to load. */
export function stagesWith(
  changed: Partial<Stage>,
  ofStage: Partial<Record<Stage['name'], Partial<Stage>>> = {},
): Stage[] {
  return stages.map((stage) => ({ ...stage, ...changed, ...ofStage[stage.name] }));
}

const githubRepository = 'example/petstore';

/** Each stage in an account of its own, with a pipeline and every optional setting. */
export function stagesWithEverything(): Stage[] {
  return stagesWith(
    {
      alarmRecipient: { email: 'ops@example.com' },
      corsOrigins: ['https://app.example.com'],
      firewall: { requestsPerMinuteAndAddress: 600, requestsPerMinuteAndApiKey: 600 },
    },
    {
      'v1-production': {
        account: { id: '111122223333', region: 'eu-west-1', githubRepository },
        alarmRecipient: { https: 'https://pager.example.com/sns' },
        domain: {
          name: 'api.example.com',
          certificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/4c7f',
          hostedZone: { id: 'Z0123456789', name: 'example.com' },
        },
      },
      'v1-staging': {
        account: { id: '444455556666', githubRepository },
        domain: {
          name: 'staging.example.com',
          certificateArn: 'arn:aws:acm:eu-west-1:444455556666:certificate/4c7f',
        },
      },
    },
  );
}
