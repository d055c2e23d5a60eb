import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { config, functionEnvironment } from '../../lib/config.ts';

const run = promisify(execFile);

type Run = { exitCode: number | null; stdout: string; stderr: string };

/** The environment of an operation's function on AWS, with the stage of this test file. */
export const lambdaEnvironment = {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_LAMBDA_FUNCTION_NAME: 'petstore',
  ...functionEnvironment({ ...config(), idsPerLease: 1 }),
};

/** Loads the handler as Lambda does. */
export const load = `const { handler } = await import(folder + '/index.mjs');`;

/**
 * Runs lines of code in a new process, with only the given environment.
 *
 * The lines read the folder of a bundle from `folder` and print results to stderr.
 */
export async function runBundle(
  folder: string,
  lines: string,
  environment: Record<string, string | undefined>,
): Promise<Run> {
  const code = `const folder = ${JSON.stringify(folder)};\n${lines}`;
  const args = ['--input-type=module', '-e', code];
  // Lambda's user has a home, which the user of a container may lack.
  const env = { PATH: process.env.PATH, HOME: tmpdir(), ...environment };
  // A process that fails rejects with an error that has its outputs too.
  const ended = await run(process.execPath, args, { env }).catch((error) => error);
  const { code: exitCode = 0, stdout, stderr } = ended;
  return { exitCode, stdout, stderr };
}
