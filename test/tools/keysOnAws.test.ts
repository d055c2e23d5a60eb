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

/** Returns the variables of a user whose only credentials are those of the profile `ops`. */
async function profileOf(region: string): Promise<Record<string, string | undefined>> {
  const folder = await temporaryFolder();
  const AWS_SHARED_CREDENTIALS_FILE = join(folder, 'credentials');
  const AWS_CONFIG_FILE = join(folder, 'config');
  const credentials = `[ops]
aws_access_key_id = ${process.env.AWS_ACCESS_KEY_ID}
aws_secret_access_key = ${process.env.AWS_SECRET_ACCESS_KEY}`;
  await writeFile(AWS_SHARED_CREDENTIALS_FILE, credentials);
  await writeFile(AWS_CONFIG_FILE, `[profile ops]\nregion = ${region}`);
  const none = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
  return { ...none, AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE };
}

describe('npm run keys, for a stage on AWS', () => {
  it.each([['list'], ['create', '--name', 'alice']])(
    'exits with 1, shows no key, and names the Region and the profile in which the stage is not deployed: %s',
    async (...args) => {
      const environment = { ...(await profileOf('eu-central-1')), AWS_PROFILE: 'ops' };

      const { exitCode, stdout, stderr } = await runCommandHere(
        keys,
        [...args, '--stage', 'v1-alice'],
        environment,
      );

      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        'v1-alice is not deployed in the Region local with the profile ops: it has no such table. Check AWS_REGION, AWS_PROFILE and your AWS credentials.\n',
      );
    },
  );

  it('uses the Region of the settings, and not that of the shell', async () => {
    const args = ['list', '--stage', 'v1-abroad'];

    const { stderr } = await runCommandHere(keys, args, { AWS_REGION: 'local' });

    expect(stderr).toContain('v1-abroad is not deployed in the Region eu-west-1:');
  });

  it.each([
    ['AWS_DEFAULT_REGION', { AWS_DEFAULT_REGION: 'eu-north-1', AWS_PROFILE: 'ops' }, 'eu-north-1'],
    ['the profile', { AWS_PROFILE: 'ops' }, 'eu-central-1'],
  ])('uses the Region that only %s names, because the CDK does', async (_, variables, region) => {
    const environment = {
      ...(await profileOf('eu-central-1')),
      AWS_REGION: undefined,
      ...variables,
    };

    const { stderr } = await runCommandHere(keys, ['list', '--stage', 'v1-alice'], environment);

    expect(stderr).toContain(`v1-alice is not deployed in the Region ${region}`);
  });

  it('names the profile and exits with 1 if nothing names a Region', async () => {
    const environment = { ...(await profileOf('eu-central-1')), AWS_REGION: undefined };
    const args = ['list', '--stage', 'v1-alice'];

    const result = await runCommandHere(keys, args, { ...environment, AWS_PROFILE: 'opz' });

    expect(result).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'There is no profile opz with a Region. Check AWS_PROFILE, or set AWS_REGION.\n',
    });
  });
});
