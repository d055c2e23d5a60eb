import { defineConfig } from 'vitest/config';

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
  },
});
