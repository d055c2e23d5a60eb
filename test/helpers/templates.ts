import { readFileSync } from 'node:fs';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { addStacks } from '../../infra/app.ts';
import { stackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { operationEntries } from '../../lib/operations.ts';
import { bareStage, durableName, otherName } from './bareStage.ts';

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));

/** The functions behind the API, in the order of the template. */
export const functionNames = [...operationEntries.map(([name]) => name), 'fallback'];

/** Synthesises the stacks of stages. Any folder that exists can replace the bundles. */
export function synthesise(
  settings: readonly Stage[],
  bundle = 'functions',
  release = 'abc1234',
  moreContext = {},
): App {
  const app = new App({
    context: { ...context, ...moreContext },
    // `cdk synth` validates, which takes seconds. The tests only look at the templates.
    builtinCloudFormationValidation: false,
    // These options save half of the time and change no template.
    analyticsReporting: false,
    stackTraces: false,
    treeMetadata: false,
  });
  addStacks(app, settings, { bundleOf: () => bundle, release });
  return app;
}

export function templateOf(app: App, name: string): Template {
  return Template.fromStack(app.node.findChild(name) as Stack);
}

const bareStages = [bareStage(durableName), bareStage(otherName)];
const defaultApp = synthesise(bareStages);

/** The template of each stage. */
export const templates = bareStages.map((stage) => ({
  stage,
  template: templateOf(defaultApp, stackName(stage.name)),
}));

export const production = templateOf(defaultApp, stackName(durableName));
export const staging = templateOf(defaultApp, stackName(otherName));

/** Returns a part of a template with its references as text: `<Pets>`, `<Pets.Arn>`, `<Api>/v1`. */
export function readable(part: unknown) {
  return JSON.parse(JSON.stringify(part, (_key, value) => textOf(value) ?? value));
}

function textOf(value: unknown): string | undefined {
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': joined } = Object(value);
  if (Ref) return `<${shortId(Ref)}>`;
  if (attribute) return `<${shortId(attribute[0])}.${attribute[1]}>`;
  return joined?.[1].map((each: unknown) => textOf(each) ?? each).join(joined[0]);
}

/** Returns a logical id without the hashes that the CDK appends. */
export function shortId(logicalId: string): string {
  return logicalId.replace(/(?<=[\dA-F]{8})[\da-f]{32}$/, '').replace(/[\dA-F]{8}$/, '');
}

/** The logical id and the readable resource of each resource of a type. */
export function resourcesOf(template: Template, type: string) {
  return Object.entries(template.findResources(type)).map(
    ([id, resource]) => [id, readable(resource)] as const,
  );
}

export function propertiesOf(template: Template, type: string) {
  return resourcesOf(template, type).map(([, { Properties = {} }]) => Properties);
}

/** Returns the permissions of all roles, each for one action on one resource. */
export function permissionsOf(template: Template) {
  return propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ Roles, PolicyDocument }) =>
    PolicyDocument.Statement.flatMap(
      ({ Sid: sid, Action, Resource, Condition: condition }: Statement) =>
        [Action].flat().flatMap((action) =>
          [Resource].flat().map((resource) => ({
            role: String(Roles[0]).slice(1, -1),
            sid,
            action,
            resource,
            condition,
          })),
        ),
    ),
  );
}

type Statement = {
  Sid?: string;
  Action: string | string[];
  Resource: string | string[];
  Condition?: Record<string, Record<string, unknown>>;
};
