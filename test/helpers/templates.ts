import { readFileSync } from 'node:fs';
import { App, type Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { addStacks } from '../../infra/app.ts';
import type { Artifacts } from '../../infra/core/ServiceFunction.ts';
import { stackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { operationEntries } from '../../lib/operations.ts';
import { bareStage, durableName } from './bareStage.ts';

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));

/** The functions behind the API, in the order of the template. */
export const functionNames = [...operationEntries.map(([name]) => name), 'fallback'];

/** Any folder that exists can replace the bundles. */
const anyBundle: Artifacts = () => ({ folder: 'functions', release: '<release>' });

/** Synthesises the stacks of stages. */
export function synthesise(settings: readonly Stage[], artifacts = anyBundle): App {
  const app = new App({
    context: {
      ...context,
      // The CLI of the CDK adds these paths: the id of the API's deployment depends on them.
      'aws:cdk:enable-path-metadata': true,
      // Otherwise the CDK prints the warnings of the settings, which look like faults of the tests.
      '@aws-cdk/core:annotationsInValidationReport': false,
    },
    // `cdk synth` validates, which takes seconds. The tests only look at the templates.
    builtinCloudFormationValidation: false,
    // These options save half of the time and change no template.
    analyticsReporting: false,
    stackTraces: false,
    treeMetadata: false,
  });
  // Tests deploy nothing, and the report of a warning looks like a fault.
  Validations.of(app).acknowledge({
    id: 'Annotation::PetStore:account',
    reason: 'This is a test.',
  });
  addStacks(app, settings, artifacts);
  return app;
}

export function templateOf(app: App, name: string): Template {
  return Template.fromStack(app.node.findChild(name) as Stack);
}

const bareStacks = synthesise([bareStage(durableName)]);
export const production = templateOf(bareStacks, stackName(durableName));

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

/**
 * Returns the permissions of all roles, each for one action on one resource, such as `table/PetStore-v1-staging-Pets`.
 * The name of a function's role is without the hash of its permissions: `getPetRole`.
 */
export function permissionsOf(template: Template) {
  return resourcesOf(template, 'AWS::IAM::Role').flatMap(([id, { Properties }]) => {
    const role = shortId(id).replace(/(?<=Role)[\da-f]{8}$/, '');
    const policies: Policy[] = Properties.Policies ?? [];
    const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    return statements.flatMap(({ Action, Resource, Condition: condition }) =>
      [Resource].flat().flatMap((arn) => {
        const resource = arn.replace(
          /^arn:<AWS::Partition>:\w+:<AWS::Region>:<AWS::AccountId>:/,
          '',
        );
        return [Action].flat().map((action) => ({ role, action, resource, condition }));
      }),
    );
  });
}

type Policy = { PolicyDocument: { Statement: Statement[] } };
type Statement = {
  Action: string | string[];
  Resource: string | string[];
  Condition?: Record<string, Record<string, unknown>>;
};
