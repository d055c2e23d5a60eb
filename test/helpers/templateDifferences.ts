import type { Template } from 'aws-cdk-lib/assertions';

type NamedTemplate = { name: string; template: Template };

/**
 * Lists where the templates of two stages differ: `<type> × <how many> <path>: <of one> | <of the other>`.
 *
 * The names of the stages, which are everywhere, count as one, and so do hashes in logical ids.
 */
export function templateDifferences(one: NamedTemplate, other: NamedTemplate): string[] {
  const a = leavesOf(one);
  const b = leavesOf(other);
  const keys = [...new Set([...a.keys(), ...b.keys()])].filter(
    (key) => a.get(key)?.value !== b.get(key)?.value,
  );
  const groups = Map.groupBy(keys, (key) => {
    const { type, path } = a.get(key) ?? b.get(key) ?? { type: '', path: '' };
    return JSON.stringify([type, `${path}: ${a.get(key)?.value} | ${b.get(key)?.value}`]);
  });
  return [...groups]
    .map(([group, members]) => {
      const [type, difference] = JSON.parse(group);
      return `${type} × ${members.length} ${difference}`;
    })
    .sort();
}

type Leaf = { type: string; path: string; value: string };

/** Every value of a template by its place: a resource, and the path in it. */
function leavesOf({ name, template }: NamedTemplate): Map<string, Leaf> {
  const text = JSON.stringify(template.toJSON())
    .replaceAll(name, 'stage')
    .replaceAll(name.replace('-', ''), 'stage')
    .replaceAll(/"\w+"/g, (word) => word.replaceAll(/[\dA-F]{8}|[\da-f]{32}/g, ''));
  const resources = JSON.parse(text).Resources as Record<string, { Type: string }>;
  const leaves = new Map<string, Leaf>();
  for (const [id, resource] of Object.entries(resources)) {
    const visit = (path: string[], value: unknown) => {
      if (typeof value === 'object' && value !== null) {
        for (const [key, each] of Object.entries(value)) visit([...path, key], each);
      } else {
        const leaf = { type: resource.Type, path: path.join('.'), value: JSON.stringify(value) };
        leaves.set(`${id}.${leaf.path}`, leaf);
      }
    };
    visit([], resource);
  }
  return leaves;
}
