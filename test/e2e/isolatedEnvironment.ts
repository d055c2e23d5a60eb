import { delimiter, join, resolve } from 'node:path';

/** Variables that could lead a program to AWS or to a real deployment. */
const leadsOut = /^(AWS_|CDK_|PETSTORE_)|_PROXY$/i;

/**
 * Returns an environment whose programs find the emulator instead of AWS.
 *
 * It hides all AWS settings of the caller, in variables and files. If a request reached AWS anyway, its
 * credentials would be invalid.
 */
export function isolatedEnvironment(endpoint: string, folder: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !leadsOut.test(name));
  return {
    ...Object.fromEntries(inherited),
    // The emulator runs functions with the first `node` on the path: the version of production.
    PATH: [resolve('node_modules/.bin'), process.env.PATH].join(delimiter),
    // Hides ~/.aws, ~/.cdk.json and other settings.
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
