import { readFileSync } from 'node:fs';
import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { addStacks } from '../../infra/app.ts';
import { stackName } from '../../infra/stackNames.ts';
import type { Stage } from '../../infra/stageRules.ts';
import { stages } from '../../infra/stages.ts';
import { operationEntries } from '../../lib/operations.ts';
import { bareStage } from './bareStage.ts';

export type Properties = Record<string, unknown>;
export type Resource = Record<string, unknown> & { Type: string; Properties: Properties };

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));

/** The functions behind the API, in the order of the template. */
export const functionNames = [...operationEntries.map(([name]) => name), 'fallback'];

/** Synthesises the stacks of stages. A folder that exists stands for each bundle. */
export function synthesise(
  settings: readonly Stage[],
  bundle = 'functions',
  release = 'abc1234',
): App {
  const app = new App({
    context,
    // `cdk synth` validates, which takes seconds. The tests only look at the templates.
    builtinCloudFormationValidation: false,
    // The rest takes half of the time and changes no template.
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

const bareStages = stages.map(({ name }) => bareStage(name));
const defaultApp = synthesise(bareStages);

/** The template of each stage. */
export const templates = bareStages.map((stage) => ({
  stage,
  template: templateOf(defaultApp, stackName(stage.name)),
}));

export const production = templateOf(defaultApp, stackName('v1-production'));
export const staging = templateOf(defaultApp, stackName('v1-staging'));

export function resourcesOf(template: Template, type: string): [string, Resource][] {
  return Object.entries(template.findResources(type) as Record<string, Resource>);
}

export function propertiesOf(template: Template, type: string): Properties[] {
  return resourcesOf(template, type).map(([, { Properties = {} }]) => Properties);
}

/** What each role may do: one action on one resource. */
export function permissionsOf(template: Template) {
  return propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ Roles, PolicyDocument }) => {
    const { Statement } = PolicyDocument as { Statement: Properties[] };
    const role = textOf((Roles as unknown[])[0]).slice(1, -1);
    return Statement.flatMap(({ Action, Resource, Condition: condition }) =>
      [Action].flat().flatMap((action) =>
        [Resource].flat().map((each) => ({
          role,
          action: String(action),
          resource: textOf(each),
          condition: condition as Record<string, Properties> | undefined,
        })),
      ),
    );
  });
}

/** Returns a value with references as one text: `<Pets>:<Pets.Arn>`. */
export function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': joined } = value as Record<string, unknown>;
  if (Ref !== undefined) return `<${shortId(String(Ref))}>`;
  if (Array.isArray(attribute)) return `<${shortId(attribute[0])}.${attribute[1]}>`;
  if (Array.isArray(joined)) return joined[1].map(textOf).join(joined[0]);
  throw new Error(`Unknown intrinsic function: ${JSON.stringify(value)}`);
}

/** Returns a logical id without the hashes that the CDK appends. */
export function shortId(logicalId: string): string {
  return logicalId.replace(/(?<=[\dA-F]{8})[\da-f]{32}$/, '').replace(/[\dA-F]{8}$/, '');
}
