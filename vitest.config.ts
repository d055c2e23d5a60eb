import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Many tests start processes, which share V8's compiled code of the SDK.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node';

/** Tests of synthesised templates. They need no database and share the templates of a thread. */
const synthesisTests = [
  'test/infra/constructs/*.test.ts',
  'test/infra/{*Stack*,deploymentContext,permissions}.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: 'test/helpers/temporaryFiles.ts',
    restoreMocks: true,
    unstubEnvs: true,
    // A thread starts faster than a process and keeps the packages for its next test file. With
    // `isolate: true` for the service, `npm test` took 172 s in place of 102 s on 2 cores. Each file of the
    // service still gets new copies of the project's own modules, by its first setup file.
    pool: 'threads',
    isolate: false,
    sequence: { setupFiles: 'list' },
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
      { extends: true, test: { name: 'synthesis', include: synthesisTests } },
    ],
  },
});
