export default {
  // Without code that only a bundle runs, and plain tables.
  mutate: ['lib/**/*.ts', '!lib/coldStart/**', '!lib/operations.ts', '!lib/tables.ts'],
  testRunner: 'vitest',
  plugins: ['./test/mutation/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // A mutant of code that runs while a module loads needs every test. A quarter of all mutants are such.
  ignoreStatic: true,
  warnings: { slow: false },
  concurrency: 2,
  timeoutMS: 20_000, // generous, so that a busy machine does not look like an endless loop
  thresholds: { high: 95, low: 92, break: 90 },
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  ignorePatterns: ['.bundles', '.petstore', 'cdk.out', 'docs-site'],
  tempDirName: '.stryker-tmp',
};
