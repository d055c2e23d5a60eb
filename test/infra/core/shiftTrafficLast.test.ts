import { describe, expect, it } from 'vitest';
import { operationEntries } from '../../../lib/operations.ts';
import { resourcesOf, shortId, production as template } from '../../helpers/templates.ts';

type Resource = { Type: string; Properties: { Principal?: string }; DependsOn?: unknown };

const resources: Record<string, Resource> = template.toJSON().Resources;

/** The ids of all resources that CloudFormation updates before a resource, by `shortId`. */
function earlierThan(id: string, seen = new Set<string>()): Set<string> {
  const text = JSON.stringify([resources[id], resources[id]?.DependsOn]);
  for (const other of Object.keys(resources)) {
    if (other !== id && !seen.has(other) && text.includes(`"${other}"`)) {
      seen.add(other);
      earlierThan(other, seen);
    }
  }
  return seen;
}

const aliases = resourcesOf(template, 'AWS::Lambda::Alias')
  .map(([id]) => ({ id, name: shortId(id).replace('Alias', ''), earlier: earlierThan(id) }))
  .toSorted((a, b) => a.earlier.size - b.earlier.size);

describe('a deployment', () => {
  it('shifts traffic after everything that can fail, so that no failure undoes or cancels a release', () => {
    const [first] = aliases;
    const later = Object.entries(resources).filter(([id]) => !first?.earlier.has(id));

    expect(first?.earlier.size).toBeGreaterThan(50);
    expect(later.map(([, { Type, Properties }]) => [Type, Properties.Principal])).toEqual(
      aliases.flatMap(() => [
        ['AWS::Lambda::Alias', undefined],
        // The permission needs the alias, and changes only with the alias.
        ['AWS::Lambda::Permission', 'apigateway.amazonaws.com'],
      ]),
    );
  });

  it('shifts one alias after the other, readers before writers, so no two deployments conflict', () => {
    const isWriter = (name: string) =>
      operationEntries.some(
        ([each, { access }]) =>
          each === name && access.some(({ action }) => /^(Put|Update|Delete)Item$/.test(action)),
      );

    for (const [index, { earlier }] of aliases.entries()) {
      expect([...earlier].filter((id) => aliases.some((each) => each.id === id))).toHaveLength(
        index,
      );
    }
    const order = aliases.map(({ name }) => name);
    expect(order.pop()).toBe('fallback');
    expect(order.map(isWriter)).toEqual(order.map(isWriter).toSorted());
  });
});
