import { unusedSidPrefix } from '../stackNames.ts';
import { type Template, toText } from './templates.ts';

type Statement = { Sid?: string; Effect: string; Action?: string | string[]; Resource?: unknown };

type PolicyProperties = {
  Roles?: unknown[];
  PolicyDocument?: { Statement: Statement | Statement[] };
};

/** What a statement says about one action and one resource. */
type Permission = {
  /** Equal permissions have equal texts. */
  text: string;
  resource: string;
  /** Whether the version of this template needs it. */
  isUsed: boolean;
};

/** A function with an alias: until the alias has moved, the previous version serves requests. */
type AliasedFunction = { name: string; roleId: string; permissions: Permission[] };

/**
 * Returns what an update takes from a version of a function that still runs.
 *
 * All versions share a role, and CloudFormation changes policies and tables before aliases. So the previous
 * version runs for minutes with the new ones. In a rollback, the new version runs with the old ones.
 */
export function permissionFaults(old: Template, now: Template): string[] {
  const newFunctions = aliasedFunctions(now);
  const ofFunctions = aliasedFunctions(old).flatMap((before) => {
    const { name, roleId, permissions } = before;
    const after = newFunctions.find((each) => each.name === name);
    if (!after) return [];
    if (after.roleId !== roleId || ownText(old, roleId) !== ownText(now, roleId)) {
      return [`${name}: its previous version needs the role ${roleId} as it is.`];
    }
    return [
      ...missing(permissions, after.permissions).map(
        (text) => `${name}: its previous version would lose ${text}.`,
      ),
      ...missing(after.permissions, permissions).map(
        (text) => `${name}: after a rollback, its new version would lack ${text}.`,
      ),
    ];
  });
  return [...ofFunctions, ...indexFaults(old, now)].map(withoutReferences);
}

/** Makes `Pets/index/byStatus` of `${Pets.Arn}/index/byStatus`. */
function withoutReferences(text: string): string {
  return text.replaceAll(/\$\{([\w:]+)(\.Arn)?\}/g, '$1');
}

function indexFaults(old: Template, now: Template): string[] {
  const [oldIndexes, indexes] = [indexesOf(old), indexesOf(now)];
  const lost = oldIndexes.filter((arn) => !indexes.includes(arn));
  // CloudFormation does not wait until an index is filled. A new table has nothing to fill.
  const unfilled = indexes.filter(
    (arn) => !oldIndexes.includes(arn) && old.Resources?.[tableIdOf(arn)],
  );
  return [
    ...readersOf(lost, old).map(
      ([name, arn]) => `${name}: its previous version reads ${arn}, which goes.`,
    ),
    ...readersOf(unfilled, now).map(
      ([name, arn]) => `${name}: its new version would read ${arn} before it is filled.`,
    ),
  ];
}

function readersOf(arns: string[], template: Template): [name: string, arn: string][] {
  return aliasedFunctions(template).flatMap(({ name, permissions }) =>
    arns
      .filter((arn) => permissions.some(({ isUsed, resource }) => isUsed && resource === arn))
      .map((arn): [string, string] => [name, arn]),
  );
}

/** The ARNs of all indexes: `${Pets.Arn}/index/byStatus`. */
function indexesOf({ Resources = {} }: Template): string[] {
  return Object.entries(Resources).flatMap(([id, { Properties = {} }]) => {
    const { GlobalSecondaryIndexes = [] } = Properties as {
      GlobalSecondaryIndexes?: { IndexName: string }[];
    };
    return GlobalSecondaryIndexes.map(({ IndexName }) => `\${${id}.Arn}/index/${IndexName}`);
  });
}

function tableIdOf(indexArn: string): string {
  return /\w+/.exec(indexArn)?.[0] ?? '';
}

function aliasedFunctions(template: Template): AliasedFunction[] {
  const resources = Object.values(template.Resources ?? {});
  return resources.flatMap(({ Type, Properties = {} }) => {
    if (Type !== 'AWS::Lambda::Alias') return [];
    const functionId = referenceIn(Properties.FunctionName);
    const roleId = referenceIn(template.Resources?.[functionId]?.Properties?.Role);
    const name = functionId.replace(/Function[\dA-F]{8}$/, '');
    return [{ name, roleId, permissions: permissionsOf(template, roleId) }];
  });
}

/** The logical id in `{ "Ref": … }` or `{ "Fn::GetAtt": … }`. */
function referenceIn(value: unknown): string {
  return /^\$\{(\w+)(\.\w+)?\}$/.exec(toText(value))?.[1] ?? '';
}

/** What a role says itself, apart from the policies that name it. */
function ownText(template: Template, roleId: string): string {
  return JSON.stringify(template.Resources?.[roleId]?.Properties);
}

function permissionsOf({ Resources = {} }: Template, roleId: string): Permission[] {
  return Object.values(Resources).flatMap(({ Properties = {} }) => {
    const { Roles = [], PolicyDocument } = Properties as PolicyProperties;
    const isOfRole = Roles.some((role) => referenceIn(role) === roleId);
    return isOfRole ? [PolicyDocument?.Statement ?? []].flat().flatMap(toPermissions) : [];
  });
}

function toPermissions(statement: Statement): Permission[] {
  const { Sid = '', Effect, Action = '', Resource = '', ...conditions } = statement;
  const isUsed = !Sid.startsWith(unusedSidPrefix);
  const suffix = Object.keys(conditions).length > 0 ? ` if ${JSON.stringify(conditions)}` : '';
  return [Action].flat().flatMap((action) =>
    [Resource].flat().map((each) => {
      const resource = toText(each);
      return { text: `${Effect} ${action} on ${resource}${suffix}`, resource, isUsed };
    }),
  );
}

/**
 * Returns the permissions that a version uses and the other template lacks.
 *
 * Only an equal permission counts: a wider one would fail the check of a rollback anyway.
 */
function missing(permissions: Permission[], others: Permission[]): string[] {
  return permissions
    .filter((each) => each.isUsed && !others.some(({ text }) => text === each.text))
    .map(({ text }) => text);
}
