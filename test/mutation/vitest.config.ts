import { defineConfig } from 'vitest/config';

/**
 * The tests that run `lib/` inside their own process.
 *
 * The mutants' switch does not reach a process that a test starts, and one such test makes Stryker
 * take every mutant for one that needs all the tests.
 */
export default defineConfig({
  test: {
    include: [
      'test/{attacks,functions,lib}/**/*.test.ts',
      'test/{raisedShards,restoredTable}.test.ts',
    ],
    exclude: ['test/attacks/slowClients.test.ts'], // of the local server, and slow for a purpose
    globalSetup: 'test/helpers/sharedDatabase.ts',
    setupFiles: ['test/helpers/isolatedStage.ts', 'test/helpers/describedFetch.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 20_000,
  },
});
