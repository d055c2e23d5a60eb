import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A global setup of vitest: everything that a run writes to the temporary folder is deleted after it.
 *
 * The CDK leaves a folder there for each app, and a killed process leaves its own.
 */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-tests-'));
  // Read by os.tmpdir(), here, in the workers and in the processes that they start.
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
