import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Many tests start processes: they share what V8 made of the SDK.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/node';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/helpers/sharedDatabase.ts',
    setupFiles: ['test/helpers/isolatedStage.ts', 'test/helpers/describedFetch.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    // A thread starts in less time than a process, and keeps the packages for the next test file. Of
    // our own modules each file gets new ones, because the first setup file forgets the old ones.
    pool: 'threads',
    isolate: false,
    sequence: { setupFiles: 'list' },
    testTimeout: 20_000,
    // One more than there are processors, because tests wait for processes and a browser.
    maxWorkers: availableParallelism() + 1,
  },
});
