import { expect, it } from 'vitest';
import { stackName, tablesStackName } from '../../infra/core/stackNames.ts';
import { stages } from '../../infra/stages.ts';
import { startProcess, temporaryFolder } from '../helpers/npmScript.ts';

it('npx cdk ls prints the stacks and nothing else', async () => {
  const out = await temporaryFolder();

  const cdk = startProcess('npx', ['cdk', 'ls', '--no-notices', '--output', out]);

  expect(await cdk.exited).toBe(0);
  expect(cdk.stdout.trim().split('\n').sort()).toEqual(
    stages.flatMap(({ name }) => [stackName(name), tablesStackName(name)]).sort(),
  );
});
