import { groups, notMutated } from './groups.ts';

/** The group of files, or all files if runMutants.ts passes options on to Stryker. */
const { MUTATION_GROUP: name = 'all' } = process.env;
const { mutate } = groups[name] ?? {
  mutate: ['lib/**/*.ts', ...notMutated.map((pattern) => `!${pattern}`)],
};
const reports = `reports/mutation/${name}`;

export default {
  mutate,
  testRunner: 'vitest',
  plugins: ['./test/mutation/node_modules/@stryker-mutator/vitest-runner/dist/src/index.js'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // A mutant of code that runs while a module loads needs every test. In a group they are few.
  ignoreStatic: name === 'all',
  warnings: { slow: false },
  concurrency: 2,
  timeoutMS: 20_000, // generous, so that a busy machine does not look like an endless loop
  thresholds: { high: 95, low: 92, break: 90 },
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `${reports}.json` },
  htmlReporter: { fileName: `${reports}.html` },
  ignorePatterns: ['.petstore', '.schemathesis', 'cdk.out', 'docs-site'],
  tempDirName: '.stryker-tmp',
};
