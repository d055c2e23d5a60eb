import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { PetStoreStack } from '../../infra/PetStoreStack.ts';
import { type Stage, stackName, stages } from '../../infra/stages.ts';

/** The template of a stage, made with the context of `cdk.json` and what a deployment adds to it. */
export function stackTemplate(
  stageName: Stage['name'],
  deploymentContext: Record<string, string> = {},
): Template {
  const stage = stages.find(({ name }) => name === stageName);
  if (!stage) throw new Error(`There is no stage ${stageName}.`);
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const app = new App({
    // Bundling is for `cdk synth`; here the templates alone are looked at.
    context: { ...context, ...deploymentContext, 'aws:cdk:bundling-stacks': [] },
  });
  return Template.fromStack(new PetStoreStack(app, stackName(stage.name), { stage }));
}

/** The properties of each resource of a type. */
export function propertiesOf(template: Template, type: string): Record<string, unknown>[] {
  return Object.values(template.findResources(type)).map(({ Properties }) => Properties);
}
