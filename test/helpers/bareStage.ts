import type { Stage } from '../../infra/stageRules.ts';
import { settingsOf } from '../../infra/stages.ts';

// Not in templates.ts, which takes a second to load.

/** A stage without an account, a recipient, a domain and origins, which a fork may have set. */
export function bareStage(name: string): Stage {
  const { domain, corsOrigins, lowUrgencyRecipient, ...stage } = settingsOf(name);
  return { ...stage, account: {}, alarmRecipient: { none: 'This is a test.' } };
}
