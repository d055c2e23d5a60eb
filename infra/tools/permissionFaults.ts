import { unusedSidPrefix } from '../stackNames.ts';
import { type Template, toText } from './templates.ts';

type Conditions = Record<string, Record<string, unknown>>;

type Statement = {
  Sid?: string;
  Effect: string;
  Action?: string | string[];
  Resource?: unknown;
  Condition?: Conditions;
};

type PolicyProperties = {
  Roles?: unknown[];
  PolicyDocument?: { Statement: Statement | Statement[] };
};

/** What a statement says about one action and one resource. */
type Permission = {
  /** `Allow`, or the whole statement if it is of another kind, such as a `Deny`: it has only equals. */
  effect: string;
  action: string;
  resource: string;
  conditions: Conditions;
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
      ...uncovered(permissions, after.permissions).map(
        (text) => `${name}: its previous version would lose ${text}.`,
      ),
      ...uncovered(after.permissions, permissions).map(
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
      .filter((arn) => permissions.some(({ isUsed, resource }) => isUsed && matches(arn, resource)))
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
  const { Sid = '', Effect, Action, Resource, Condition: conditions = {} } = statement;
  const isUsed = !Sid.startsWith(unusedSidPrefix);
  if (Effect !== 'Allow' || !Action || !Resource) {
    const effect = JSON.stringify(statement);
    return [{ effect, action: '', resource: '', conditions: {}, isUsed }];
  }
  return [Action].flat().flatMap((action) =>
    [Resource].flat().map((resource) => ({
      effect: Effect,
      action,
      resource: toText(resource),
      conditions,
      isUsed,
    })),
  );
}

/** Describes the permissions that a version uses and none of the others includes. */
function uncovered(permissions: Permission[], others: Permission[]): string[] {
  return permissions
    .filter((each) => each.isUsed && !others.some((other) => covers(other, each)))
    .map(({ effect, action, resource, conditions }) => {
      const condition =
        Object.keys(conditions).length > 0 ? ` if ${JSON.stringify(conditions)}` : '';
      return effect === 'Allow' ? `${action} on ${resource}${condition}` : effect;
    });
}

function covers(wide: Permission, narrow: Permission): boolean {
  return (
    wide.effect === narrow.effect &&
    matches(narrow.action.toLowerCase(), wide.action.toLowerCase()) &&
    matches(narrow.resource, wide.resource) &&
    Object.entries(wide.conditions).every(([operator, keys]) =>
      Object.entries(keys).every(([key, values]) =>
        isImplied(operator, [narrow.conditions[operator]?.[key] ?? []].flat(), [values].flat()),
      ),
    )
  );
}

/** Returns whether a condition on these values fulfils one on the wide values, with the same operator. */
function isImplied(operator: string, values: unknown[], wideValues: unknown[]): boolean {
  const isPositive = /^(ForAllValues:|ForAnyValue:)?(String(Like|Equals)|Arn(Like|Equals))$/.test(
    operator,
  );
  const isLike = operator.includes('Like') || operator.includes('Arn');
  const includes = (wide: unknown, value: unknown) =>
    isPositive && isLike ? matches(toText(value), toText(wide)) : toText(value) === toText(wide);
  const isSubset = values.every((value) => wideValues.some((wide) => includes(wide, value)));
  // More values of another operator, such as StringNotEquals, may narrow it.
  return values.length > 0 && isSubset && (isPositive || values.length === wideValues.length);
}

/**
 * Returns whether an IAM pattern matches a text. If the text is a pattern too, everything that it matches
 * is included: `*` of the pattern takes its wildcards, and `?` takes no `*`.
 */
function matches(text: string, pattern: string): boolean {
  const escaped = pattern.replaceAll(/[^\w*?]/g, '\\$&');
  const source = escaped.replaceAll('*', '.*').replaceAll('?', '[^*]');
  return new RegExp(`^${source}$`, 's').test(text);
}
