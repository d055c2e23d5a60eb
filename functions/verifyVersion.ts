import { log } from '../lib/log.ts';
import { type ReleaseEvent, reportVerdict } from '../lib/releaseVerdict.ts';
import { checkVersion } from '../lib/versionCheck.ts';

/** CodeDeploy calls it before a new version gets traffic, and waits for its verdict. */
export async function handler(event: ReleaseEvent): Promise<void> {
  const deploymentId = event.DeploymentId;
  try {
    await checkVersion(process.env.VERSION_ARN);
  } catch (cause) {
    log('version_refused', { deploymentId, cause });
    return reportVerdict(event, 'Failed');
  }
  log('version_verified', { deploymentId });
  await reportVerdict(event, 'Succeeded');
}
