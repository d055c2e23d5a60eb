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
  it.each(stageNames)('lets jobs of one repository assume the roles of %s', (name) => {
    const template = templates[stageNames.indexOf(name)] as Template;
    const subjects = roles(template).map(({ Action, Condition }) => {
      expect(Action).toBe('sts:AssumeRoleWithWebIdentity');
      expect(Condition.StringEquals['token.actions.githubusercontent.com:aud']).toBe(
        'sts.amazonaws.com',
      );
      expect(Object.keys(Condition)).toEqual(['StringEquals']);
      return Condition.StringEquals['token.actions.githubusercontent.com:sub'];
    });

    expect(subjects).toEqual([
      'repo:example/petstore:pull_request',
      `repo:example/petstore:environment:${name}`,
    ]);
  });

  it('accepts a repository with the ids that GitHub appends to its names', () => {
    expect(JSON.stringify(synthesise('example@123/petstore@456'))).toContain(
      '"repo:example@123/petstore@456:pull_request"',
    );
  });

  it('lets a pull request only read templates', () => {
    const [statement, ...others] = statementsOf('Diff');

    expect(others).toEqual([]);
    expect(statement?.Action).toEqual([
      'cloudformation:DescribeStacks',
      'cloudformation:GetTemplate',
    ]);
    const resources = [statement?.Resource].flat().map((each) => JSON.stringify(each));
    const stacks = ['PetStore-account', 'PetStore-v1-production'];
    expect(resources.map((each) => /:stack\/(.+)\/\*/.exec(each)?.[1])).toEqual(stacks);
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
      'lambda:GetAccountSettings',
      'dynamodb:DescribeLimits',
      'apigateway:GET',
    ]);
    const ofStage = statements.slice(1).map(({ Resource }) => JSON.stringify(Resource));
    expect(ofStage[0]).toContain(`stack/PetStore-${name}/*`);
    expect(ofStage[1]).toContain(`table/PetStore-${name}-ApiKeys*`);
    expect(ofStage[3]).toContain('::/account');
  });

  it('outputs the roles for the variables of the repository', () => {
    expect(templates.map((template) => Object.keys(template.findOutputs('*')))).toEqual([
      ['DiffRoleArn', 'DeployRoleArnv1production'],
      ['DiffRoleArn', 'DeployRoleArnv1staging'],
    ]);
  });
});
