import { readdirSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Stack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { stackName } from '../../infra/core/stackNames.ts';
import { stages } from '../../infra/stages.ts';
import { durableName } from '../helpers/bareStage.ts';
import { fullPipeline, fullProductionStage } from '../helpers/fullStacks.ts';
import { production, readable, synthesise, templateOf } from '../helpers/templates.ts';

// Another stage has fewer resources, and the same code deploys them.
const app = synthesise(stages.filter(({ isDurable }) => isDurable));
const stacks = app.node.children.filter(Stack.isStack).map(({ node }) => node.id);

/** What no reviewer reads: paths, and the CDK's additions to each stack. */
const unreviewed = ['Metadata', 'BootstrapVersion', 'CheckBootstrapVersion'];

type Widget = { properties: { metrics?: unknown[] } };

/** Returns a line for a widget of a dashboard, and one for each of its metrics. */
function linesOf({ properties: { metrics = [], ...properties }, ...widget }: Widget): string[] {
  const lines = [{ ...properties, ...widget }, ...metrics].map((each) => JSON.stringify(each));
  return lines.map((line) => line.replaceAll('"', "'"));
}

/** Returns a template as reviewers read it. A release that only changes code leaves it as it is. */
function reviewed(template: object): string {
  const text = JSON.stringify(
    readable(template),
    (key, value) => {
      if (unreviewed.includes(key)) return undefined;
      if (key === 'DashboardBody') return JSON.parse(value).widgets.flatMap(linesOf);
      if (typeof value !== 'object' || Array.isArray(value)) return value;
      // Sorted, so that a resource that only moves in the code does not move in the template.
      return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    2,
  );
  const withoutCode = text
    .replaceAll(/\b[\da-f]{64}\b/g, '<hash>')
    // A version has a new logical id for each release of its function.
    .replaceAll(/(?<=CurrentVersion[\dA-F]{8})[\da-f]{32}/g, '');
  return `${withoutCode}\n`;
}

/** Returns the resources and outputs of a template that another one lacks, or has otherwise. */
function added(template: Template, other?: Template): object {
  return Object.fromEntries(
    ['Resources', 'Outputs'].map((section) => {
      const others = other?.toJSON()[section] ?? {};
      const all = Object.entries(template.toJSON()[section]);
      return [
        section,
        Object.fromEntries(all.filter(([id, each]) => !isDeepStrictEqual(each, others[id]))),
      ];
    }),
  );
}

it.each(stacks)('infra/templates has %s as "npm run synth" writes it', async (name) => {
  const file = `../../infra/templates/${name}.json`;

  await expect(reviewed(templateOf(app, name).toJSON())).toMatchFileSnapshot(file);
});

it('infra/templates has no file of another stack', () => {
  const files = stacks.map((name) => `${name}.json`);

  expect(readdirSync('infra/templates').sort()).toEqual(files.sort());
});

// The account and the repository change every address, and nothing else.
const everySetting = { ...fullProductionStage, account: {}, githubRepository: undefined };
const withEverySetting = templateOf(synthesise([everySetting]), stackName(durableName));

it.each([
  ['service', added(withEverySetting, production)],
  ['pipeline', added(fullPipeline)],
])(
  'test/infra/everySetting has what all optional settings add to production, as "npm run synth" writes it: %s',
  async (name, template) => {
    await expect(reviewed(template)).toMatchFileSnapshot(`everySetting/${name}.json`);
  },
);
