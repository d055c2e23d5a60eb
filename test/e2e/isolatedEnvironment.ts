import { delimiter, join, resolve } from 'node:path';

/** What could lead a program to AWS, or to a deployment: settings, credentials, proxies, defaults. */
const leadsOut = /^(AWS_|CDK_|PETSTORE_)|_PROXY$/i;

/**
 * The environment of programs that shall find the emulator wherever they look for AWS.
 *
 * Nothing of the caller's own AWS settings passes, in variables or files. Were a request to reach AWS
 * in spite of it, its credentials would be worth nothing.
 */
export function isolatedEnvironment(endpoint: string, folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !leadsOut.test(name));
  return {
    ...Object.fromEntries(inherited),
    // The emulator runs the functions by the first `node` that it finds: the one of production.
    PATH: [resolve('node_modules/.bin'), process.env.PATH].join(delimiter),
    // Without ~/.aws, ~/.cdk.json and what else a home has.
    HOME: folder,
    TMPDIR: folder,
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}
