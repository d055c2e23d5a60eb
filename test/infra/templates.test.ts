import { App } from 'aws-cdk-lib';
import { expect, it } from 'vitest';
import { addStacks } from '../../infra/app.ts';
import { stackName } from '../../infra/stackNames.ts';
import { normalizeTemplate } from '../../infra/tools/templates.ts';
import { bareStage } from '../helpers/bareStage.ts';
import { templateOf } from '../helpers/templates.ts';

const production = bareStage('v1-production');

function synthesize(bundle: string, release: string, stage = production) {
  const app = new App({ builtinCloudFormationValidation: false, analyticsReporting: false });
  addStacks(app, [stage], { bundleOf: () => bundle, release });
  return templateOf(app, stackName(stage.name)).toJSON();
}

// Two folders stand for the code of two commits.
const template = synthesize('functions', 'abc1234');
const nextRelease = synthesize('lib', 'def5678');
const resized = synthesize('functions', 'abc1234', { ...production, memoryMb: 2048 });

it('a release that only changes the code of functions changes no committed template', () => {
  expect(nextRelease).not.toEqual(template);
  expect(normalizeTemplate(nextRelease)).toEqual(normalizeTemplate(template));
});

it('a template shows a setting that changes', () => {
  const changed = JSON.stringify(normalizeTemplate(template)).replaceAll(
    `"MemorySize":${production.memoryMb}`,
    '"MemorySize":2048',
  );

  expect(normalizeTemplate(resized)).toEqual(JSON.parse(changed));
});

it('a template shows texts with their references, and the dashboard as its widgets', () => {
  const text = JSON.stringify(normalizeTemplate(template));

  expect(text).toMatch(/arn:\$\{AWS::Partition\}:codedeploy:\$\{AWS::Region\}/);
  expect(text).toMatch(/"DashboardBody":\{"start":.+"widgets":\[\{/);
  expect(text).not.toMatch(/Fn::Join|aws:(cdk|asset):|abc1234/);
});
