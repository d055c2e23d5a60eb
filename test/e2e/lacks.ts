import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStackEventsCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { print } from '../../infra/tools/command.ts';
import type { Emulator } from './startEmulator.ts';

type Resource = { Type: string; Properties?: Record<string, unknown> };

const unrecognized = (Type: string) => ({
  lack: { Type },
  answer: `Template format error: Unrecognized resource types: [${Type}]`,
});

/** The resources that MiniStack cannot deploy, with these properties, and what it answers. */
const lacks: { lack: Resource; answer: string }[] = [
  // An alias moves to a new version at once: no hook and no canary runs.
  unrecognized('AWS::CodeDeploy::Application'),
  unrecognized('AWS::CodeDeploy::DeploymentGroup'),
  unrecognized('AWS::CloudWatch::CompositeAlarm'),
  {
    lack: { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: [{ Id: 'one' }] } },
    answer:
      'AWS::CloudWatch::Alarm Properties.Metrics (metric math) is not supported; use MetricName and Namespace.',
  },
  unrecognized('AWS::WAFv2::IPSet'),
  unrecognized('AWS::WAFv2::WebACLAssociation'),
];

const pollEveryMs = 100;

/** Prints what this run does not prove. It throws if the emulator answers something else by now. */
export async function printLacks(emulator: Emulator): Promise<void> {
  const client = new CloudFormationClient(emulator.client);
  print('MiniStack cannot deploy these resources, so nothing here proves them:');
  for (const { lack, answer } of lacks) {
    const answered = await tryToDeploy(client, lack);
    print(`- ${nameOf(lack)}: "${answered}"`);
    if (answered !== answer) throw new Error('Change this entry of test/e2e/lacks.ts.');
  }
  print(
    'It checks no permissions, moves aliases at once, gives preflights no headers of an origin,',
  );
  print('and accepts updates that AWS refuses.');
}

function nameOf({ Type, Properties = {} }: Resource): string {
  return [Type, ...Object.keys(Properties)].join(' with ');
}

/** Deploys a stack with only this resource, and returns why it fails. */
async function tryToDeploy(client: CloudFormationClient, lack: Resource): Promise<string> {
  const StackName = nameOf(lack).replaceAll(/\W+/g, '-');
  const TemplateBody = JSON.stringify({ Resources: { Lacking: lack } });
  try {
    await client.send(new CreateStackCommand({ StackName, TemplateBody }));
  } catch (error) {
    return (error as Error).message;
  }
  let status = '';
  do {
    await wait(pollEveryMs);
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName }));
    status = Stacks?.[0]?.StackStatus ?? '';
  } while (status.endsWith('_IN_PROGRESS'));
  const { StackEvents = [] } = await client.send(new DescribeStackEventsCommand({ StackName }));
  const failure = StackEvents.find(({ ResourceStatus }) => ResourceStatus === 'CREATE_FAILED');
  return failure?.ResourceStatusReason ?? status;
}

/** Removes from a template what the emulator lacks, and prints it. References become logical ids. */
export async function removeLacks(file: string): Promise<void> {
  const { Resources, ...template } = JSON.parse(await readFile(file, 'utf8'));
  const entries = Object.entries<Resource>(Resources);
  const removed = new Map<string, string>();
  for (const [id, { Type, Properties: given = {} }] of entries) {
    const found = lacks.find(
      ({ lack: { Type: type, Properties = {} } }) =>
        type === Type && Object.keys(Properties).every((property) => property in given),
    );
    if (found) removed.set(id, nameOf(found.lack));
  }
  const kept = Object.fromEntries(entries.filter(([id]) => !removed.has(id)));
  const text = JSON.stringify({ ...template, Resources: kept }, (key, value) => {
    // How CodeDeploy moves an alias.
    if (key === 'UpdatePolicy') return undefined;
    if (key === 'DependsOn') return [value].flat().filter((id) => !removed.has(id));
    const target = value?.Ref ?? value?.['Fn::GetAtt']?.[0];
    return removed.has(target) ? target : value;
  });
  await writeFile(file, text);
  const counts = Map.groupBy(removed.values(), (name) => name);
  print(
    `Removed from ${basename(file)}: ${[...counts].map(([name, { length }]) => `${length} ${name}`).join(', ')}`,
  );
}
