import { statSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { groups } from './groups.ts';

/**
 * Vitest starts with the slowest files, but the first test that fails ends a mutant's run. So the
 * contract tests, which start a server, come last.
 */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      if (moduleId.includes('/contract/')) return Number.POSITIVE_INFINITY;
      return /\/(functions|middlewares)\//.test(moduleId) ? 0 : statSync(moduleId).size;
    };
    return files.toSorted((a, b) => Number(rank(a) > rank(b)) - Number(rank(a) < rank(b)));
  }
}

const { MUTATION_GROUP: name = 'all' } = process.env;
const allTestFiles = [
  'test/{contract,functions,lib}/**/*.test.ts',
  'test/{raisedShards,restoredTable}.test.ts',
];

/**
 * The tests that run `lib/` in their own process.
 *
 * Stryker's switch does not reach processes that a test starts, and a single such test makes Stryker
 * run all tests for every mutant. The model, fuzz and attack tests are left out because they take long
 * and find here what the others find sooner.
 *
 * The tests of a group are chosen here. With Stryker's own `testFiles` (10.1.1), mutants of code that
 * runs while a module loads are switched on too late.
 */
export default defineConfig({
  test: {
    include: groups[name]?.testFiles ?? allTestFiles,
    globalSetup: ['test/helpers/temporaryFiles.ts', 'test/helpers/sharedDatabase.ts'],
    setupFiles: ['test/helpers/isolatedStage.ts', 'test/helpers/describedFetch.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 20_000,
    sequence: { sequencer: ShortestFirst },
  },
});
