import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { addStacks } from '../../infra/app.ts';
import { stackName } from '../../infra/stackNames.ts';
import { stages } from '../../infra/stages.ts';
import { findDifferences, normalizeTemplate } from '../../infra/tools/templates.ts';
import { templateOf } from '../helpers/templates.ts';

const [production = expect.fail()] = stages;

function synthesize(bundle: string, release: string, stage = production) {
  const app = new App({ builtinCloudFormationValidation: false, analyticsReporting: false });
  addStacks(app, [stage], { bundleOf: () => bundle, release });
  return templateOf(app, stackName(stage.name)).toJSON();
}

// Two folders stand for the code of two commits.
const template = synthesize('functions', 'abc1234');
const nextRelease = synthesize('lib', 'def5678');
const resized = synthesize('functions', 'abc1234', { ...production, memoryMb: 2048 });

const differences = (before: unknown, after: unknown) =>
  findDifferences(normalizeTemplate(before), normalizeTemplate(after));

it('the comparison of templates ignores a release that only changes the code of functions', () => {
  expect(findDifferences(template, nextRelease).length).toBeGreaterThan(20);
  expect(differences(template, nextRelease)).toEqual([]);
});

it('the comparison of templates names each value that differs, with the committed and the new one', () => {
  expect(differences(template, resized)).toContainEqual(
    expect.stringMatching(/^Resources\.createPetFunction\w+\.Properties\.MemorySize: \d+ → 2048$/),
  );
  expect(findDifferences({ a: [1] }, { a: [1, { b: 2 }] })).toEqual(['a.1: nothing → {"b":2}']);
});

it('a template shows texts with their references, and the dashboard as its widgets', () => {
  const text = JSON.stringify(normalizeTemplate(template));

  expect(text).toMatch(/arn:\$\{AWS::Partition\}:codedeploy:\$\{AWS::Region\}/);
  expect(text).toMatch(/"DashboardBody":\{"start":.+"widgets":\[\{/);
  expect(text).not.toMatch(/Fn::Join|aws:(cdk|asset):|abc1234/);
});
