import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { PipelineStack } from '../../infra/PipelineStack.ts';
import { type Stage, stages } from '../../infra/stages.ts';

const stageNames = stages.map(({ name }) => name);
const templates = stages.map((stage) => synthesise('example/petstore', stage));
const [production] = templates as [Template];

function synthesise(repository: string, stage = stages[0] as Stage): Template {
  return Template.fromStack(new PipelineStack(new App(), 'Pipeline', { repository, stage }));
}

type Statement = { Action: string | string[]; Resource: unknown; Condition?: unknown };

function roles(template: Template) {
  return Object.values(template.findResources('AWS::IAM::Role')).map(
    ({ Properties }) => Properties.AssumeRolePolicyDocument.Statement[0],
  );
}

function statementsOf(role: string, template = production): Statement[] {
  const [policy] = Object.entries(template.findResources('AWS::IAM::Policy'))
    .filter(([id]) => id.startsWith(role.replaceAll('-', '')))
    .map(([, { Properties }]) => Properties.PolicyDocument.Statement);
  return policy;
}

describe('PipelineStack', () => {
  it.each(stages)('lets jobs of the environment $name assume its role', ({ name }) => {
    const template = templates[stageNames.indexOf(name)] as Template;

    expect(roles(template)).toMatchObject([
      {
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: {
          StringEquals: {
            'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
            'token.actions.githubusercontent.com:sub': `repo:example/petstore:environment:${name}`,
          },
        },
      },
    ]);
    expect(Object.keys(roles(template)[0].Condition)).toEqual(['StringEquals']);
  });

  it('accepts a repository with the ids that GitHub appends to its names', () => {
    expect(JSON.stringify(synthesise('example@123/petstore@456'))).toContain(
      '"repo:example@123/petstore@456:environment:v1-production"',
    );
  });

  it.each(stageNames)('lets the jobs of %s change only the API keys of that stage', (name) => {
    const template = templates[stageNames.indexOf(name)] as Template;
    const statements = statementsOf(`Deploy-${name}`, template);

    expect(statements.flatMap(({ Action }) => Action)).toEqual([
      'sts:AssumeRole',
      'cloudformation:DescribeStacks',
      'dynamodb:PutItem',
      'dynamodb:Scan',
      'dynamodb:UpdateItem',
    ]);
    const ofStage = statements.slice(1).map(({ Resource }) => JSON.stringify(Resource));
    expect(ofStage[0]).toContain(`stack/PetStore-${name}/*`);
    expect(ofStage[1]).toContain(`table/PetStore-${name}-ApiKeys*`);
  });

  it('outputs the role for the variable of the repository', () => {
    expect(templates.map((template) => Object.keys(template.findOutputs('*')))).toEqual([
      ['DeployRoleArnv1production'],
      ['DeployRoleArnv1staging'],
    ]);
  });
});
