/** The npm scripts in groups, with what each does. `npm run help` and `--help` print it. */
export const scriptGroups = {
  'Run the service on this machine': {
    start: 'Serves the pet store interface on this machine.',
    help: 'Lists the npm scripts of this project.',
  },
  'Operate a stage': {
    preflight: 'Names the settings of a stage that the quotas of the AWS account cannot carry.',
    keys: 'Issues, lists, rotates and revokes the API keys of a stage.',
    smoke: 'Checks over HTTP that a deployment keeps what the interface promises.',
    probe: 'Runs a command, and sends requests to a stage until it ends.',
    symbolicate: 'Turns the stack traces of a log line into positions in the source.',
    restore: 'Restores the pets of a stage.',
    'restore-drill': 'Practises a restore.',
    'rollback-drill': 'Deploys a failing version to a stage, and watches CodeDeploy roll it back.',
  },
  'Describe the interface': {
    openapi: 'Writes openapi.json.',
    docs: 'Writes the documentation page as static files, for any web host and any path on it.',
    client: 'Packs the TypeScript client.',
  },
  'Check a change': {
    check: 'Runs every check of the gate.',
    'check:style': 'Checks format and style.',
    'check:types': 'Checks the types.',
    'check:unused': 'Finds unused files, exports and packages.',
    'check:openapi': 'Checks that openapi.json is current and breaks no client.',
    'check:client': 'Checks the types of the TypeScript client.',
    format: 'Formats all files.',
    test: 'Runs the tests.',
    synth: 'Synthesises the CloudFormation templates.',
    bundle: 'Bundles the functions as they are deployed, and prints their sizes.',
    audit: 'Fails if a package has a known advisory.',
    sbom: 'Writes the software bill of materials, sbom.json.',
  },
  'Test more': {
    'test:schemathesis': 'Sends generated requests to the local service.',
    'test:clients':
      'Generates clients in several languages, and runs them against the local service.',
    'test:cfn-lint': "Checks the templates with AWS's linter.",
    'test:dynamodb-local': "Runs the tests against AWS's DynamoDB Local.",
    'test:chaos': 'Kills instances, breaks the database, and checks every promise.',
    'test:simulation': 'Explores the orders in which concurrent requests can run.',
    'test:mutation': 'Breaks the code in many ways, and counts what the tests notice.',
    'e2e:deploy': 'Deploys staging into an emulator of AWS, and runs the smoke suite.',
  },
  Measure: {
    bench: 'Measures a request to a running function.',
    'bench:cold': 'Measures the cold starts of the functions.',
    'bench:memory': 'Measures the functions with several sizes of memory.',
    'bench:load': 'Puts the local service under load, and watches its memory.',
    'bench:log': 'Measures how many bytes a request logs and sends.',
    'bench:scale': 'Times each operation in stores of several sizes.',
    'bench:scaling': 'Calculates limits and costs for higher rates.',
    cost: 'Calculates the bill: a million of each request, an idle month, the worst day.',
  },
} as const;

/** The keys of every member of a union. `keyof` itself has only those that all members share. */
type KeyOfEach<Union> = Union extends unknown ? keyof Union : never;

export type ScriptName = KeyOfEach<(typeof scriptGroups)[keyof typeof scriptGroups]>;

export function describeScript(name: ScriptName): string {
  return Object.assign({}, ...Object.values(scriptGroups))[name];
}
