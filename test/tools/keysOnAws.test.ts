import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { keys } from '../../tools/keys.ts';
import '../helpers/database.ts'; // stands in for AWS
import { temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// A stage with a Region in its settings.
vi.mock(import('../../infra/stages.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const stageOrSandbox = (name: string) => ({
    ...original.stageOrSandbox(name),
    ...(name === 'v1-abroad' && { account: { region: 'eu-west-1' } }),
  });
  return { ...original, stageOrSandbox };
});

describe('npm run keys, for a stage on AWS', () => {
  it('exits with 1, and names the Region and the profile in which the stage is not deployed', async () => {
    const args = ['list', '--stage', 'v1-alice'];

    const AWS_SHARED_CREDENTIALS_FILE = join(await temporaryFolder(), 'credentials');
    const profile = `[ops]
aws_access_key_id = ${process.env.AWS_ACCESS_KEY_ID}
aws_secret_access_key = ${process.env.AWS_SECRET_ACCESS_KEY}`;
    await writeFile(AWS_SHARED_CREDENTIALS_FILE, profile);
    const environment = { AWS_PROFILE: 'ops', AWS_SHARED_CREDENTIALS_FILE };

    const { exitCode, stderr } = await runCommandHere(keys, args, environment);

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'v1-alice is not deployed in the Region local with the profile ops: it has no such table. Check AWS_REGION, AWS_PROFILE and your AWS credentials.\n',
    );
  });

  it('uses the Region of the settings, and not that of the shell', async () => {
    const args = ['list', '--stage', 'v1-abroad'];

    const { stderr } = await runCommandHere(keys, args, { AWS_REGION: 'local' });

    expect(stderr).toContain('v1-abroad is not deployed in the Region eu-west-1:');
  });

  it('reports a name that no stage can have as wrong usage', async () => {
    const { exitCode, stderr } = await runCommandHere(keys, ['list', '--stage', 'alice']);

    expect(stderr).toContain('"alice" cannot name a stage. Use v1- and ');
    expect(exitCode).toBe(2);
  });
});
