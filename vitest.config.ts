import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Many tests start processes, which share V8's compiled code of the SDK.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node';

/** Tests of synthesised templates, which need no database. */
const synthesisTests = [
  'test/infra/constructs/*.test.ts',
  'test/infra/{*Stack*,deploymentContext,permissions}.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: 'test/helpers/temporaryFiles.ts',
    restoreMocks: true,
    unstubEnvs: true,
    // A thread starts faster than a process.
    pool: 'threads',
    testTimeout: 20_000,
    // One more than the processors, because tests wait for processes and a browser.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...synthesisTests],
          globalSetup: 'test/helpers/sharedDatabase.ts',
          setupFiles: ['test/helpers/isolatedStage.ts', 'test/helpers/describedFetch.ts'],
        },
      },
      // Without isolation, the files of a thread share its templates.
      { extends: true, test: { name: 'synthesis', include: synthesisTests, isolate: false } },
    ],
  },
});
