import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { addStacks } from '../../infra/app.ts';
import { bundlesFolder } from '../../infra/bundle/bundleOptions.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { sandboxStage, settingsOf, stages } from '../../infra/stages.ts';
import { durableName } from '../helpers/bareStage.ts';

/** A stage with the settings of production. */
export const productionLike = 'v1-production-like';

/** A sandbox, which is destroyed again. */
export const sandboxName = 'v1-e2e';

/** The stages as the emulator deploys them: in its only account, without a domain, and with alarms by mail. */
const deployed = [
  ...stages,
  { ...settingsOf(durableName), name: productionLike },
  { ...sandboxStage(sandboxName), corsOrigins: ['https://app.example.com'] },
].map(
  ({ domain, alarmRecipient, ...stage }): Stage => ({
    ...stage,
    account: {},
    ...(alarmRecipient && { alarmRecipient: { email: 'operators@example.com' } }),
  }),
);

// `cdk.json` bundles the functions first, then runs its app. So does deploy.ts.
if (import.meta.main) {
  const app = new App();
  const bundleOf = (functionName: string) => join(bundlesFolder, functionName);
  // Each release gives all functions a new version.
  addStacks(app, deployed, { bundleOf, release: app.node.getContext('release') });
}
