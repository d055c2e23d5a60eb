import { stackName } from '../../infra/core/stackNames.ts';
import { CoreSettings } from '../../infra/stageSchema.ts';
import { bareStage, durableName } from './bareStage.ts';
import { synthesise, templateOf } from './templates.ts';

const stage = {
  ...CoreSettings.parse(bareStage(durableName)),
  alarmRecipient: { https: 'https://pager.example.com/sns' },
  lowUrgencyRecipient: { email: 'ops@example.com' },
};

/** The template of a durable stage whose only part is the monitoring. */
export const monitored = templateOf(synthesise([stage]), stackName(durableName));
