import { groups } from './groups.ts';

/** The group of files, or all of them where run.ts was given options for Stryker instead. */
const { MUTATION_GROUP: name = 'all' } = process.env;
// lib/lambda is bundled in place of packages, and no test loads it into its own process.
const { mutate } = groups[name] ?? { mutate: ['lib/**/*.ts', '!lib/lambda/**'] };
const reports = `reports/mutation/${name}`;

export default {
  mutate,
  testRunner: 'vitest',
  plugins: ['./test/mutation/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // A mutant of what runs while a module loads needs every test: those of a group, but not all.
  ignoreStatic: name === 'all',
  warnings: { slow: false },
  concurrency: 2,
  timeoutMS: 20_000, // a busy machine is no endless loop
  thresholds: { high: 95, low: 92, break: 90 },
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `${reports}.json` },
  htmlReporter: { fileName: `${reports}.html` },
  ignorePatterns: ['.petstore', '.schemathesis', 'cdk.out', 'docs-site'],
  tempDirName: '.stryker-tmp',
};
