import type { Template } from 'aws-cdk-lib/assertions';
import { config } from '../../lib/config.ts';
import { type Properties, propertiesOf, textOf } from './templates.ts';

/** A statement with one action and one resource, as `<Pets.Arn>`. */
export type Statement = {
  action: string;
  resource: string;
  /** The patterns of the partition keys that it is limited to. */
  keys?: string[];
};

/** Reads what a role of a template may do with DynamoDB. */
export function tableStatements(template: Template, role: string): Statement[] {
  const policies = propertiesOf(template, 'AWS::IAM::Policy').filter(
    ({ Roles }) => textOf((Roles as unknown[])[0]) === `<${role}>`,
  );
  const statements = policies.flatMap(
    ({ PolicyDocument }) => (PolicyDocument as { Statement: Properties[] }).Statement,
  );
  return statements
    .flatMap(({ Action, Resource, Condition }) =>
      [Action].flat().flatMap((action) =>
        [Resource].flat().map((resource) => ({
          action: String(action),
          resource: textOf(resource),
          ...keysOf(Condition),
        })),
      ),
    )
    .filter(({ action }) => action.startsWith('dynamodb:'));
}

/** The only form of condition in the templates, see `permissions.test.ts`. */
function keysOf(condition: unknown): Pick<Statement, 'keys'> {
  if (condition === undefined) return {};
  const { 'ForAllValues:StringLike': like } = condition as Record<string, Properties>;
  return { keys: [like?.['dynamodb:LeadingKeys']].flat().map(String) };
}

type Input = {
  TableName?: string;
  IndexName?: string;
  Key?: Record<string, { S: string }>;
  Item?: Record<string, { S: string }>;
  ExpressionAttributeValues?: Record<string, { S: string }>;
};

/**
 * Decides as IAM does whether statements allow a call of DynamoDB. The embedded engine checks no
 * permissions.
 */
export function isAllowed(statements: Statement[], action: string, input: Input): boolean {
  const arns: Record<string, string> = {
    [config().petsTableName]: '<Pets.Arn>',
    [config().apiKeysTableName]: '<ApiKeys.Arn>',
    [config().idempotencyTableName]: '<Idempotency.Arn>',
  };
  const index = input.IndexName ? `/index/${input.IndexName}` : '';
  const resource = `${arns[input.TableName ?? '']}${index}`;
  const key =
    (input.Key ?? input.Item)?.pk?.S ?? input.ExpressionAttributeValues?.[':statusShard']?.S;
  return statements.some(
    (each) =>
      each.action === `dynamodb:${action}` &&
      each.resource === resource &&
      (each.keys === undefined ||
        (key !== undefined && each.keys.some((pattern) => isLike(key, pattern)))),
  );
}

function isLike(text: string, pattern: string): boolean {
  const source = pattern.replaceAll(/[^\w*]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${source}$`, 's').test(text);
}
