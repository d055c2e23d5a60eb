import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The first test that fails ends the run of a mutant. So the contract tests, which start a server, come last. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rooms = ['/test/lib/', '/test/functions/', '/test/contract/'];
    const distance = ({ moduleId }: TestSpecification) =>
      rooms.findIndex((room) => moduleId.includes(room));
    return files.toSorted((a, b) => distance(a) - distance(b));
  }
}

/**
 * The tests that run `lib/` in their own process.
 *
 * Stryker's switch does not reach processes that a test starts, and one such test makes Stryker run
 * all tests for every mutant.
 */
export default defineConfig({
  test: {
    include: ['test/{contract,functions,lib}/**/*.test.ts'],
    globalSetup: ['test/helpers/temporaryFiles.ts', 'test/helpers/sharedDatabase.ts'],
    setupFiles: ['test/helpers/isolatedStage.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 20_000,
    sequence: { sequencer: NearestFirst },
  },
});
