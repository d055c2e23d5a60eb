import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exploreAll, findShortest, runSchedule, walkAtRandom } from './explore.ts';
import { brokenPromises } from './invariants.ts';
import { type Edit, editedText, loadService } from './loadService.ts';
import { mutants } from './mutants.ts';
import type { Scope } from './Scope.ts';
import { scopes } from './scopes.ts';

/** The short form: the small scopes in full. `npm run test:simulation` explores all of them. */
const smallScopes = [
  'after-24-hours',
  'end-of-24-hours',
  'out-of-time',
  'paging-damaged-item',
  'read-after-create',
  'unknown-key',
];

const service = await loadService();

function scopeOf(name: string): Scope {
  const scope = scopes[name];
  if (!scope) throw new Error(`There is no scope ${name}.`);
  return scope;
}

describe('the service', () => {
  it.each(smallScopes)('keeps its promises in every ordering of %s', async (name) => {
    const { violation } = await exploreAll(scopeOf(name), service);

    expect(violation).toBeUndefined();
  });

  it('keeps its promises in random walks through a large world', async () => {
    const scope = scopeOf('everything-at-random');

    const { violation } = await walkAtRandom(scope, service, { walks: 15, seed: 1 });

    expect(violation).toBeUndefined();
  });
});

describe('a violation', () => {
  it('is found, with a schedule that shows it again in the broken code only', async () => {
    const broken = await loadService(mutants['a record ends after 24 hours and 4 minutes']);
    const scope = scopeOf('end-of-24-hours');

    const { violation } = await exploreAll(scope, broken);
    const shortest = await findShortest(scope, broken);
    const [again, inService] = [
      await runSchedule(scope, broken, shortest?.schedule ?? []),
      await runSchedule(scope, service, shortest?.schedule ?? []),
    ];

    expect(violation?.broken).toContain(shortest?.broken[0]);
    expect(shortest?.schedule.length).toBeLessThanOrEqual(violation?.schedule.length ?? 0);
    expect(await brokenPromises(again)).toEqual(shortest?.broken);
    expect(await brokenPromises(inService)).toEqual([]);
  });
});

describe('mutants', () => {
  it('are at least 30, each names known scopes, and each still fits the code', () => {
    const misfits = Object.entries(mutants).flatMap(([name, mutant]) => {
      const unknown = mutant.scopes.filter((scope) => !(scope in scopes));
      return [
        ...unknown.map((scope) => `${name}: there is no scope ${scope}`),
        ...misfit(name, mutant),
      ];
    });

    expect(misfits).toEqual([]);
    expect(Object.keys(mutants).length).toBeGreaterThanOrEqual(30);
  });

  it('are refused if the text is not found exactly once', async () => {
    const edit = { file: 'lib/pets/petIds.ts', find: 'no such text', replace: '' };

    await expect(loadService(edit)).rejects.toThrow('0 places, not one');
  });
});

/** A sentence if the code has changed under a mutant: adapt it in test/simulation/mutants. */
function misfit(name: string, mutant: Edit): string[] {
  try {
    editedText(readFileSync(mutant.file, 'utf8'), mutant);
    return [];
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
}
