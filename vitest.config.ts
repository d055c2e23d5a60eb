import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { leadsOut } from './test/helpers/leadsOut.ts';

const { PETSTORE_BASE_ADDRESS: baseAddress } = process.env;

// The tests take nothing from the developer's shell that the SDK, the CDK, the functions or a proxy would read. A thread
// reads its proxy when it starts. A smoke test may need the proxy.
if (!baseAddress) {
  for (const name of Object.keys(process.env)) if (leadsOut.test(name)) delete process.env[name];
}

// Many tests start processes, which share V8's compiled code of the SDK.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/node');

// Tests compare what tools print, and bash warns of a locale that is not installed.
process.env.LC_ALL = 'C';

/** Tests that start many processes or a browser, or run for seconds. `npm test` leaves them to `npm run check`. */
const slowTests = 'test/**/*.slow.test.ts';

/** Tests of what the CDK deploys, whose modules and templates take a second to load. */
const infraTests = 'test/infra/**/*.test.ts';

/** Ends a test that hangs. With a load of 20 on two processors, the slowest quick test took 22 s. */
const limitMs = 60_000;

/** A slow test starts many processes, which take tens of seconds on such a machine. */
const slowLimitMs = 300_000;

/** The contract suite against a deployment, as `npm run smoke` runs it. */
function contractProject(baseAddress: string): TestProjectConfiguration {
  const { env } = process;
  const service = {
    baseAddress,
    apiKey: env.PETSTORE_API_KEY ?? '',
    mode: env.PETSTORE_READ_ONLY ? ('readOnly' as const) : ('fewPets' as const),
    acceptsRelativeLinks: Boolean(env.PETSTORE_RELATIVE_LINKS),
    corsOrigin: env.PETSTORE_CORS_ORIGIN,
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

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/temporaryFiles.ts', 'test/helpers/sharedDatabase.ts'],
    setupFiles: ['test/helpers/isolatedStage.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    // A thread starts faster than a process.
    pool: 'threads',
    testTimeout: limitMs,
    hookTimeout: limitMs,
    expect: { poll: { timeout: limitMs / 2 } },
    // One more than the processors, because tests wait for processes and a browser.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', infraTests, slowTests],
        },
      },
      // Without isolation, the files of a thread share its modules and templates.
      {
        extends: true,
        test: { name: 'infra', include: [infraTests], exclude: [slowTests], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [slowTests],
          testTimeout: slowLimitMs,
          hookTimeout: slowLimitMs,
          expect: { poll: { timeout: slowLimitMs / 2 } },
        },
      },
      ...(baseAddress ? [contractProject(baseAddress)] : []),
    ],
  },
});
