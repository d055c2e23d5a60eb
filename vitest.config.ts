import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';

// Many tests start processes, which share V8's compiled code of the SDK.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/node');

/** Tests that need neither a database nor settings. */
const statelessTests = [
  'test/{checkResponse,docs,imports,operations,petFields,supplyChain,workflows}.test.ts',
  'test/client/types.test.ts',
  'test/infra/constructs/*.test.ts',
  'test/infra/{*Stack*,app,docsFiles,embeddedDatabase,openapi,roles,stages,templates}.test.ts',
  'test/lib/{assertServiceResponds,int64}.test.ts',
  'test/lib/apiKeys/apiKey.test.ts',
  'test/lib/dynamodb/pages.test.ts',
];

/** The contract suite against a deployment, as `npm run smoke` runs it. */
function contractProject(baseAddress: string): TestProjectConfiguration {
  const { env } = process;
  const service = {
    baseAddress,
    apiKey: env.PETSTORE_API_KEY ?? '',
    mode: env.PETSTORE_READ_ONLY ? ('readOnly' as const) : ('fewPets' as const),
    acceptsRelativeLinks: Boolean(env.PETSTORE_RELATIVE_LINKS),
    listDelayMs: 10_000,
  };
  return {
    test: {
      name: 'contract',
      include: ['test/contract/*.test.ts'],
      provide: { service },
      pool: 'threads',
      // The files share their pets, and one client sends one request at a time.
      isolate: false,
      fileParallelism: false,
      // The tests have time-outs of their own, which a rate limit extends.
      testTimeout: 400_000,
    },
  };
}

const { PETSTORE_BASE_URL: baseAddress } = process.env;

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
          exclude: ['**/node_modules/**', ...statelessTests],
          globalSetup: 'test/helpers/sharedDatabase.ts',
          setupFiles: ['test/helpers/isolatedStage.ts'],
        },
      },
      // Without isolation, the files of a thread share its modules and templates.
      { extends: true, test: { name: 'stateless', include: statelessTests, isolate: false } },
      ...(baseAddress ? [contractProject(baseAddress)] : []),
    ],
  },
});
