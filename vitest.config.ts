import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/helpers/sharedDatabase.ts',
    setupFiles: ['test/helpers/isolatedStage.ts', 'test/helpers/describedFetch.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 20_000,
    maxWorkers: '100%',
  },
});
