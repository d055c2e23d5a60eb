import { unusedSidPrefix } from '../infra/core/stackNames.ts';
import { type Template, toText } from './templates.ts';

type Statement = { Sid?: string; Effect: string; Action: string | string[]; Resource: unknown };

type PolicyProperties = { Roles?: string[]; PolicyDocument?: { Statement: Statement[] } };

/** A statement's part about one action and one resource. */
type Permission = {
  /** Equal permissions have equal texts. */
  text: string;
  /** `Pets/index/byStatus` */
  resource: string;
  /** Whether the version of this template needs it. */
  isUsed: boolean;
};

/** A function with an alias: until the alias has moved, the previous version serves requests. */
type AliasedFunction = { name: string; roleId: string; role: string; permissions: Permission[] };

/**
 * Returns what an update takes from a version of a function that still runs. The templates are normalized.
 *
 * All versions share a role, and CloudFormation changes policies and tables before aliases. So the previous
 * version runs for minutes with the new policies and tables. In a rollback, the new version runs with the old
 * policies and tables.
 */
export function permissionFaults(old: Template, now: Template): string[] {
  const [oldFunctions, functions] = [aliasedFunctions(old), aliasedFunctions(now)];
  const ofFunctions = oldFunctions.flatMap(({ name, roleId, role, permissions }) => {
    const after = functions.find((each) => each.name === name);
    if (!after) return [];
    if (after.role !== role) {
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

  const [oldIndexes, indexes] = [indexesOf(old), indexesOf(now)];
  // CloudFormation does not wait until an index is filled. A new table has nothing to fill.
  const unfilled = [...indexes].filter((index) => old.Resources?.[idIn(index)]);
  return [
    ...ofFunctions,
    ...readsOf(oldFunctions, oldIndexes.difference(indexes)).map(
      ({ name, index }) =>
        `${name}: its previous version reads ${index}, which the update deletes.`,
    ),
    ...readsOf(functions, new Set(unfilled).difference(oldIndexes)).map(
      ({ name, index }) => `${name}: its new version would read ${index} before it is filled.`,
    ),
  ];
}

/**
 * Returns the permissions that a version uses and the other template lacks.
 *
 * Only an equal permission counts. A wider permission would be a fault in the opposite direction anyway.
 */
function missing(permissions: Permission[], others: Permission[]): string[] {
  return permissions
    .filter((each) => each.isUsed && !others.some(({ text }) => text === each.text))
    .map(({ text }) => text);
}

/** The functions that read one of these indexes, each with the index. */
function readsOf(functions: AliasedFunction[], indexes: Set<string>) {
  return functions.flatMap(({ name, permissions }) =>
    permissions
      .filter(({ isUsed, resource }) => isUsed && indexes.has(resource))
      .map(({ resource }) => ({ name, index: resource })),
  );
}

/** All indexes: `Pets/index/byStatus`. */
function indexesOf({ Resources = {} }: Template): Set<string> {
  const indexes = Object.entries(Resources).flatMap(([id, { Properties }]) =>
    [Properties?.GlobalSecondaryIndexes ?? []]
      .flat()
      .map((index) => `${id}/index/${Object(index).IndexName}`),
  );
  return new Set(indexes);
}

function aliasedFunctions({ Resources = {} }: Template): AliasedFunction[] {
  const resources = Object.values(Resources);
  const aliases = resources.filter(({ Type }) => Type === 'AWS::Lambda::Alias');
  return aliases.map(({ Properties = {} }) => {
    const functionId = idIn(Properties.FunctionName);
    const roleId = idIn(Resources[functionId]?.Properties?.Role);
    const permissions = resources.flatMap((each) => {
      const { Roles = [], PolicyDocument }: PolicyProperties = each.Properties ?? {};
      const isOfRole = Roles.some((role) => idIn(role) === roleId);
      return isOfRole ? (PolicyDocument?.Statement ?? []).flatMap(permissionsOf) : [];
    });
    return {
      name: functionId.replace(/Function[\dA-F]{8}$/, ''),
      roleId,
      role: JSON.stringify([roleId, Resources[roleId]?.Properties]),
      permissions,
    };
  });
}

/** The logical id in a reference: `Pets` in `${Pets.Arn}`. */
function idIn(reference: unknown = ''): string {
  return /\w+/.exec(String(reference))?.[0] ?? '';
}

function permissionsOf(statement: Statement): Permission[] {
  const { Sid = '', Effect, Action, Resource, ...conditions } = statement;
  const isUsed = !Sid.startsWith(unusedSidPrefix);
  const suffix = Object.keys(conditions).length > 0 ? ` if ${JSON.stringify(conditions)}` : '';
  return [Action].flat().flatMap((action) =>
    [Resource].flat().map((each) => {
      const resource = toText(each).replaceAll(/\$\{([\w:]+)(\.Arn)?\}/g, '$1');
      return { text: `${Effect} ${action} on ${resource}${suffix}`, resource, isUsed };
    }),
  );
}
