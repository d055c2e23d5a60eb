import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Many tests start processes, which share V8's compiled code of the SDK.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/helpers/sharedDatabase.ts',
    setupFiles: ['test/helpers/isolatedStage.ts', 'test/helpers/describedFetch.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    // A thread starts faster than a process and keeps the packages for its next test file. With
    // `isolate: true` test/lib and test/functions take 14.5 s in place of 10 s. Each file still gets new
    // copies of the project's own modules, by the first setup file.
    pool: 'threads',
    isolate: false,
    sequence: { setupFiles: 'list' },
    testTimeout: 20_000,
    // One more than the processors, because tests wait for processes and a browser.
    maxWorkers: availableParallelism() + 1,
  },
});
