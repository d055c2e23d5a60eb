import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { print } from '../../tools/command.ts';

/**
 * The types of resources that MiniStack cannot deploy, some only with a property. It answers "Unrecognized
 * resource types", and "Properties.Metrics (metric math) is not supported" for alarms.
 *
 * After an update of MiniStack, try without each of them.
 */
export const emulatorGaps = [
  // An alias moves to a new version at once: no hook and no canary runs.
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Alarm with Metrics',
  'AWS::WAFv2::IPSet',
  'AWS::WAFv2::WebACLAssociation',
];

type Resource = { Type: string; Properties?: object };

function gapOf({ Type, Properties = {} }: Resource): string | undefined {
  const names = [Type, ...Object.keys(Properties).map((property) => `${Type} with ${property}`)];
  return names.find((name) => emulatorGaps.includes(name));
}

/** Removes from a template what the emulator cannot deploy, and prints it. References become logical ids. */
export async function removeEmulatorGaps(file: string): Promise<void> {
  const { Resources, ...template } = JSON.parse(await readFile(file, 'utf8'));
  const entries = Object.entries<Resource>(Resources);
  const kept = entries.filter(([, resource]) => !gapOf(resource));
  const removed = entries.filter(([, resource]) => gapOf(resource));
  const removedIds = new Set(removed.map(([id]) => id));
  const resources = { ...template, Resources: Object.fromEntries(kept) };
  const text = JSON.stringify(resources, (key, value) => {
    // An update policy lets CodeDeploy move an alias, which the emulator cannot.
    if (key === 'UpdatePolicy') return undefined;
    if (key === 'DependsOn') return [value].flat().filter((id) => !removedIds.has(id));
    const target = value?.Ref ?? value?.['Fn::GetAtt']?.[0];
    return removedIds.has(target) ? target : value;
  });
  await writeFile(file, text);
  if (removed.length === 0) return;
  const counts = Map.groupBy(removed, ([, resource]) => gapOf(resource));
  const list = [...counts].map(([name, { length }]) => `${length} ${name}`).join(', ');
  print(`MiniStack lacks these of ${basename(file)}, so nothing here proves them: ${list}`);
}
