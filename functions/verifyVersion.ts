import { log } from '../lib/logging.ts';
import { checkVersion } from '../lib/release/checkVersion.ts';
import { type ReleaseEvent, reportVerdict } from '../lib/release/reportVerdict.ts';

/** CodeDeploy calls this hook before a new version gets traffic, and waits for its report. */
export async function handler(event: ReleaseEvent): Promise<void> {
  const deploymentId = event.DeploymentId;
  try {
    await checkVersion(process.env);
  } catch (cause) {
    log('version_refused', { deploymentId, cause });
    return reportVerdict(event, 'Failed');
  }
  log('version_verified', { deploymentId });
  await reportVerdict(event, 'Succeeded');
}
