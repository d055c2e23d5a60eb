import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { stackName } from '../../infra/stackNames.ts';
import { print } from '../../infra/tools/command.ts';
import { assertUpdatable } from './assertUpdatable.ts';
import {
  type Assembly,
  deployStage,
  issueKey,
  run,
  synthesise,
  templateFile,
} from './deployStage.ts';
import type { Emulator } from './startEmulator.ts';

const stage = 'v1-production';

/** Deploys production as a commit left it, uses it, and updates it. It throws if anything is lost. */
export async function tryUpdate(today: Assembly, commit: string): Promise<void> {
  const { emulator } = today;
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]).status !== 0) {
    print(
      `\n!!! SKIPPED: the update of ${stage}, because this clone lacks the commit ${commit}.\n`,
    );
    return;
  }
  const before = await synthesise(emulator, await extract(emulator, commit), 'before');
  const baseUrl = await deployStage(before, stage);
  const headers = {
    Authorization: `Bearer ${await issueKey(before, stage)}`,
    'Content-Type': 'application/json',
  };
  const send = async (method: string, body?: string) => {
    const response = await fetch(`${baseUrl}/pets`, { method, headers, body: body ?? null });
    return { status: response.status, text: await response.text() };
  };
  const addPet = async (name: string) => {
    const { status, text } = await send('POST', JSON.stringify({ name, categoryId: 1 }));
    assert.equal(status, 201, text);
    return text;
  };
  const oldPet = await addPet('before the update');
  await assertUpdatable(templateFile(before, stage), templateFile(today, stage));

  await deployStage(today, stage);
  await assertUpdated(emulator);
  const newPet = await addPet('after the update');
  assert.deepEqual(await send('GET'), { status: 200, text: `[${oldPet},${newPet}]` });
  print(`Updated ${stage} from ${commit}: its pet and key are still there.`);
}

/** Returns the folder with the sources of a commit. */
async function extract({ folder, signal }: Emulator, commit: string): Promise<string> {
  const sources = join(folder, 'sources');
  await mkdir(sources);
  await run('sh', ['-c', 'git archive "$0" | tar -x -C "$1"', commit, sources], { signal });
  const [before, today] = await Promise.all(
    [sources, '.'].map((each) => readFile(join(each, 'package-lock.json'), 'utf8')),
  );
  if (before === today) await symlink(resolve('node_modules'), join(sources, 'node_modules'));
  else await run('npm', ['ci', '--ignore-scripts', '--no-audit'], { cwd: sources, signal });
  return sources;
}

/** Throws unless the stack is updated, and each alias points to a version of these sources. */
async function assertUpdated({ client }: Emulator): Promise<void> {
  const cloudFormation = new CloudFormationClient(client);
  const lambda = new LambdaClient(client);
  const StackName = stackName(stage);
  const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
  assert.equal(Stacks?.[0]?.StackStatus, 'UPDATE_COMPLETE');
  const { StackResources = [] } = await cloudFormation.send(
    new DescribeStackResourcesCommand({ StackName }),
  );
  const aliases = StackResources.filter(
    ({ ResourceType }) => ResourceType === 'AWS::Lambda::Alias',
  );
  assert.ok(aliases.length > 0);
  for (const { PhysicalResourceId: FunctionName } of aliases) {
    const { Environment } = await lambda.send(
      new GetFunctionConfigurationCommand({ FunctionName }),
    );
    assert.equal(Environment?.Variables?.RELEASE, 'today', FunctionName);
  }
}
