import type { Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { expect, it } from 'vitest';
import { app } from '../../infra/app.ts';
import { stackName, tablesStackName } from '../../infra/core/stackNames.ts';
import { stages } from '../../infra/stages.ts';
import { otherName } from '../helpers/bareStage.ts';
import { startProcess, temporaryFolder } from '../helpers/npmScript.ts';

it('npx cdk ls prints the stacks and nothing else', async () => {
  const out = await temporaryFolder();

  const cdk = startProcess('npx', ['cdk', 'ls', '--no-notices', '--output', out]);

  expect(await cdk.exited).toBe(0);
  expect(cdk.stdout.trim().split('\n').sort()).toEqual(
    stages.flatMap(({ name }) => [stackName(name), tablesStackName(name)]).sort(),
  );
});

it('a finding of cdk-nag fails the synthesis', async () => {
  const stacks = await app();
  new Bucket(stacks.node.findChild(stackName(otherName)) as Stack, 'Bucket');

  expect(() => stacks.synth()).toThrow('AwsSolutions-S1');
});
