import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineCommand, runCommand } from './command.ts';

const folder = 'infra/templates';

/** Where `cdk synth` leaves the templates. */
const assembly = 'cdk.out';

/** The most differences of a template that `--check` prints. `git diff` shows all. */
const maxDifferences = 20;

/** What changes without a decision about the deployment, in the text of a template. */
const ownChanges: [pattern: RegExp, replacement: string][] = [
  // The code of a function.
  [/\b[\da-f]{64}\b/g, '<hash>'],
  // A version has a new logical id for each release of its function.
  [/(?<=CurrentVersion[\dA-F]{8})[\da-f]{32}/g, ''],
  [/(?<="RELEASE":"|"Description":"\w+ )([\da-f]{7,40}|unknown)(?=")/g, '<release>'],
];

/** Returns a synthesized template as reviewers read it: the same for the same deployment. */
export function normalizeTemplate(template: unknown): unknown {
  const text = ownChanges.reduce(
    (normalized, [pattern, replacement]) => normalized.replaceAll(pattern, replacement),
    JSON.stringify(template),
  );
  return JSON.parse(text, (key, value) => {
    // The paths of constructs and bundles.
    if (key === 'Metadata') return undefined;
    if (!isObject(value) || Array.isArray(value)) return value;
    if (key === 'DashboardBody') return JSON.parse(toText(value));
    if (value['Fn::Join']) return toText(value);
    // Resources that only move in the code do not move here.
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Returns a text with references as `Fn::Sub` writes them. */
function toText(value: unknown): string {
  if (!isObject(value)) return String(value);
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': joined } = value;
  if (Ref) return `\${${Ref}}`;
  if (Array.isArray(attribute)) return `\${${attribute.join('.')}}`;
  return Array.isArray(joined) ? joined[1].map(toText).join(joined[0]) : JSON.stringify(value);
}

/** Returns a line for each value that differs: its path, the committed and the new value. */
export function findDifferences(committed: unknown, current: unknown, path = ''): string[] {
  if (isObject(committed) && isObject(current)) {
    const keys = new Set([...Object.keys(committed), ...Object.keys(current)]);
    return [...keys].flatMap((key) =>
      findDifferences(committed[key], current[key], path ? `${path}.${key}` : key),
    );
  }
  const [before, after] = [committed, current].map(shorten);
  return JSON.stringify(committed) === JSON.stringify(current)
    ? []
    : [`${path}: ${before} → ${after}`];
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns the normalized templates of all stacks, by the path of their committed file. */
async function readSynthesized(): Promise<Map<string, unknown>> {
  const { artifacts } = await readJson(join(assembly, 'manifest.json'));
  const stacks = Object.entries<{ type: string; properties: { templateFile: string } }>(artifacts)
    .filter(([, { type }]) => type === 'aws:cloudformation:stack')
    .map(
      async ([name, { properties }]): Promise<[string, unknown]> => [
        join(folder, `${name}.json`),
        normalizeTemplate(await readJson(join(assembly, properties.templateFile))),
      ],
    );
  return new Map(await Promise.all(stacks));
}

/** Throws unless the committed templates are the synthesized ones, and says what differs. */
async function checkTemplates(synthesized: ReadonlyMap<string, unknown>): Promise<void> {
  const committed = existsSync(folder) ? await readdir(folder) : [];
  const files = new Set([...committed.map((name) => join(folder, name)), ...synthesized.keys()]);
  const faults: string[] = [];
  for (const file of [...files].sort()) {
    const before = existsSync(file) ? await readJson(file) : undefined;
    const lines = findDifferences(before, synthesized.get(file));
    const more = lines.length - maxDifferences;
    if (lines.length > 0) faults.push(file, ...lines.slice(0, maxDifferences));
    if (more > 0) faults.push(`and ${more} more`);
  }
  if (faults.length === 0) return;
  throw new Error(
    `The templates differ from the committed ones:\n${faults.join('\n')}\nWrite them with: npm run synth`,
  );
}

async function readJson(file: string) {
  return JSON.parse(await readFile(file, 'utf8'));
}

export const templates = defineCommand('synth', `Writes the templates of all stacks to ${folder}.`)
  .option('--check', 'fail if they are out of date, and print what differs')
  .action(async ({ check: isCheck }) => {
    const synthesized = await readSynthesized();
    if (isCheck) return checkTemplates(synthesized);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
    for (const [file, template] of synthesized) {
      await writeFile(file, `${JSON.stringify(template, null, 2)}\n`);
    }
  });

if (import.meta.main) await runCommand(templates);
