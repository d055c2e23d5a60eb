import type { Template } from 'aws-cdk-lib/assertions';

type NamedTemplate = { name: string; template: Template };
type Resources = Record<string, { Type: string }>;

/**
 * Lists where the templates of two stages differ: `<type> × <count> <path>: <first> | <second>`.
 *
 * The names of the stages count as equal, and so do hashes in logical ids. A resource that exists in
 * only one template is a difference without a path.
 */
export function templateDifferences(first: NamedTemplate, second: NamedTemplate): string[] {
  const [a, b] = [resourcesOf(first), resourcesOf(second)];
  const ids = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const differences = ids.flatMap((id) => resourceDifferences(a[id], b[id]));
  const groups = Map.groupBy(differences, (difference) => difference);
  return [...groups]
    .map(([difference, { length }]) => difference.replace(' ', ` × ${length} `))
    .sort();
}

function resourceDifferences(a: Resources[string] | undefined, b: typeof a): string[] {
  if (!a || !b) return [`${(a ?? b)?.Type} ${a ? 'there | missing' : 'missing | there'}`];
  const [ofA, ofB] = [leavesOf(a), leavesOf(b)];
  return [...new Set([...ofA.keys(), ...ofB.keys()])]
    .filter((path) => ofA.get(path) !== ofB.get(path))
    .map((path) => `${a.Type} ${path}: ${ofA.get(path)} | ${ofB.get(path)}`);
}

function resourcesOf({ name, template }: NamedTemplate): Resources {
  const text = JSON.stringify(template.toJSON())
    .replaceAll(name, 'stage')
    .replaceAll(name.replace('-', ''), 'stage')
    .replaceAll(/"\w+"/g, (word) =>
      word.replaceAll(/[\dA-F]{8}[\da-f]{32}|[\da-f]{32}|[\dA-F]{8}/g, ''),
    );
  return JSON.parse(text).Resources;
}

/** Returns every primitive value in a resource by its path. */
function leavesOf(resource: Resources[string]): Map<string, string> {
  const leaves = new Map<string, string>();
  const visit = (path: string[], value: unknown) => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) visit([...path, key], each);
    } else {
      leaves.set(path.join('.'), JSON.stringify(value));
    }
  };
  visit([], resource);
  return leaves;
}
