import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * The types of resources that MiniStack cannot deploy, some only with a property. It answers "Unrecognized
 * resource types", and "Properties.Metrics (metric math) is not supported" for alarms.
 *
 * After an update of MiniStack, try without each of them.
 */
const emulatorGaps = [
  'AWS::CloudWatch::Alarm with Metrics',
  'AWS::Logs::QueryDefinition',
  'AWS::WAFv2::IPSet',
  'AWS::WAFv2::WebACLAssociation',
];

type Resource = { Type: string; Properties?: object };

function gapOf({ Type, Properties = {} }: Resource): string | undefined {
  const names = [Type, ...Object.keys(Properties).map((property) => `${Type} with ${property}`)];
  return names.find((name) => emulatorGaps.includes(name));
}

/**
 * Removes from a template what the emulator cannot deploy, and prints it. References become logical ids, and ARNs
 * those of alarms, which the CDK checks.
 */
export function removeEmulatorGaps(file: string): void {
  const { Resources, ...template } = JSON.parse(readFileSync(file, 'utf8'));
  const entries = Object.entries<Resource>(Resources);
  const kept = entries.filter(([, resource]) => !gapOf(resource));
  const removed = entries.filter(([, resource]) => gapOf(resource));
  const removedIds = new Set(removed.map(([id]) => id));
  const resources = { ...template, Resources: Object.fromEntries(kept) };
  const text = JSON.stringify(resources, (key, value) => {
    if (key === 'DependsOn') return [value].flat().filter((id) => !removedIds.has(id));
    const [target, attribute] = value?.['Fn::GetAtt'] ?? [value?.Ref];
    if (!removedIds.has(target)) return value;
    return attribute === 'Arn' ? `arn:aws:cloudwatch:us-east-1:0:alarm:${target}` : target;
  });
  writeFileSync(file, text);
  if (removed.length === 0) return;
  const counts = Map.groupBy(removed, ([, resource]) => gapOf(resource));
  const list = [...counts].map(([name, { length }]) => `${length} ${name}`).join(', ');
  process.stderr.write(`MiniStack lacks these of ${basename(file)}: ${list}\n`);
}
