import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand, print, runCommand } from './command.ts';

const folder = 'infra/templates';

/** Where `cdk synth` leaves the templates. */
const assembly = 'cdk.out';

type Artifact = { type: string; properties: { templateFile: string } };

/** The parts of a template's text that change without a decision about the deployment. */
const releaseParts: [pattern: RegExp, replacement: string][] = [
  // The code of a function.
  [/\b[\da-f]{64}\b/g, '<hash>'],
  // A version has a new logical id for each release of its function.
  [/(?<=CurrentVersion[\dA-F]{8})[\da-f]{32}/g, ''],
  [/(?<="RELEASE":")[\da-f]{12}(?=")/g, '<release>'],
];

export type Resource = {
  Type: string;
  Properties?: Record<string, unknown>;
  DeletionPolicy?: string;
};
export type Template = { Resources?: Record<string, Resource> };

/** The parts that no reviewer reads: file paths, the widgets of dashboards, and the CDK's additions to each stack. */
export const unreviewedKeys = [
  'Metadata',
  'DashboardBody',
  'BootstrapVersion',
  'CheckBootstrapVersion',
];

/** Returns a synthesized template as reviewers read it: the same for the same deployment. */
export function normalizeTemplate(template: unknown): Template {
  const text = releaseParts.reduce(
    (normalized, [pattern, replacement]) => normalized.replaceAll(pattern, replacement),
    JSON.stringify(template),
  );
  const normalized: unknown = JSON.parse(text, (key, value) => {
    if (unreviewedKeys.includes(key)) return undefined;
    if (!isObject(value) || Array.isArray(value)) return value;
    if (value.Ref || value['Fn::GetAtt'] || value['Fn::Join']) return toText(value);
    // Sorted names, so that a resource that only moves in the code does not move in the template.
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return normalized as Template;
}

/** Returns a reference, or a text with references, as `Fn::Sub` writes it. */
export function toText(value: unknown): string {
  if (!isObject(value)) return String(value);
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': joined, 'Fn::Sub': substituted } = value;
  if (typeof substituted === 'string') return substituted;
  if (Ref) return `\${${Ref}}`;
  if (Array.isArray(attribute)) return `\${${attribute.join('.')}}`;
  return Array.isArray(joined) ? joined[1].map(toText).join(joined[0]) : JSON.stringify(value);
}

/** Returns JSON with each object on one line if it fits: a changed metric or permission is a few lines. */
function format(json: unknown): string {
  const args = ['format', '--stdin-file-path=template.json'];
  return execFileSync('biome', args, { input: JSON.stringify(json), encoding: 'utf8' });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

async function readJson(file: string) {
  return JSON.parse(await readFile(file, 'utf8'));
}

export const templates = defineCommand('synth', `Writes the templates of all stacks to ${folder}.`)
  .option('--check', 'fail if they are out of date, and print what differs')
  .action(async ({ check: isCheck }) => {
    const written = isCheck ? join(assembly, 'normalized') : folder;
    await rm(written, { recursive: true, force: true });
    await mkdir(written);
    const { artifacts } = await readJson(join(assembly, 'manifest.json'));
    for (const [name, { type, properties }] of Object.entries<Artifact>(artifacts)) {
      if (type !== 'aws:cloudformation:stack') continue;
      const template = normalizeTemplate(await readJson(join(assembly, properties.templateFile)));
      const file = join(written, `${name}.json`);
      await writeFile(file, format(template));
      if (!isCheck) print(`Wrote ${file}.`);
    }
    if (!isCheck) return;
    const args = ['--no-pager', 'diff', '--no-index', folder, written];
    const { status } = spawnSync('git', args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${folder} is out of date. Write it with: npm run synth`);
  });

if (import.meta.main) await runCommand(templates);
