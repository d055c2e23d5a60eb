import { statSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { groups } from './groups.ts';

/** Vitest begins with what takes longest; but a mutant is done with as soon as one test fails. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      /\/(contract|functions|middlewares)\//.test(moduleId) ? 0 : statSync(moduleId).size;
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

const { MUTATION_GROUP: name = 'all' } = process.env;

/**
 * The tests that run `lib/` inside their own process.
 *
 * The mutants' switch does not reach a process that a test starts, and one such test makes Stryker
 * take every mutant for one that needs all the tests. The model, the fuzz test and the attacks are
 * left out for the time that they take: what they find here, the others find sooner.
 *
 * A group's tests are chosen here: chosen by Stryker's own `testFiles` (10.1.1) they would find a mutant
 * of what runs while a module loads switched on too late.
 */
export default defineConfig({
  test: {
    include: groups[name]?.testFiles ?? [
      'test/{contract,functions,lib}/**/*.test.ts',
      'test/{raisedShards,restoredTable}.test.ts',
    ],
    globalSetup: 'test/helpers/sharedDatabase.ts',
    setupFiles: ['test/helpers/isolatedStage.ts', 'test/helpers/describedFetch.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 20_000,
    sequence: { sequencer: ShortestFirst },
  },
});
