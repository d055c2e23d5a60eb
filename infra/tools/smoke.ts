import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { TestModule } from 'vitest/node';
import { apiKeyPattern } from '../../lib/apiKeys/apiKey.ts';
import { maskApiKeys } from '../local/maskApiKeys.ts';
import { baseAddress, defineCommand, runCommand } from './command.ts';

export const smoke = defineCommand(
  'smoke',
  'Checks over HTTP that a deployment keeps what the interface promises.',
)
  .requiredOption('--base-url <url>', 'the base address, which ends in /v1', baseAddress)
  .option('--read-only', 'add no pet, and skip the tests that need one')
  .addHelpText(
    'after',
    `
It takes a valid key of the deployment from the variable PETSTORE_API_KEY. The key must not be
read-only, also with --read-only: the tests send invalid pets.

It runs the tests in test/contract. Without --read-only it adds four pets, named smoke-test and the
time, and touches no other. The exit code is 0 if every promise is kept, 1 if one is
broken, 2 if the test cannot run with these options, 3 if the database failed: every failure is a 503.`,
  )
  .action(async ({ baseUrl, readOnly }, command) => {
    // No list of processes shows the environment.
    const { PETSTORE_API_KEY: apiKey = '' } = process.env;
    if (!apiKeyPattern.test(apiKey)) {
      command.error(
        'error: PETSTORE_API_KEY takes a whole key, as npm run keys shows it: ps_<stage>_…',
      );
    }
    const problem = await findProblem(baseUrl, apiKey);
    if (problem) command.error(`error: ${problem}`);
    // vitest.config.ts reads these.
    Object.assign(process.env, {
      PETSTORE_BASE_URL: baseUrl,
      PETSTORE_READ_ONLY: readOnly ? 'on' : '',
    });
    process.env.NO_COLOR = '1';
    const { startVitest } = await import('vitest/node');
    const stderr = plainText(process.stderr);
    // vitest sets the exit code 1.
    const { state } = await startVitest(
      [],
      // In a terminal, the summary would keep the whole report.
      { project: ['contract'], watch: false, reporters: [['default', { summary: false }]] },
      {},
      { stdout: plainText(process.stdout), stderr },
    );
    const failures = [...state.getTestModules().flatMap(errorsOf), ...state.getUnhandledErrors()];
    if (failures.length > 0 && failures.every((each) => Object(each).name === 'DatabaseFailure')) {
      stderr.write('The database failed: every failure is a 503. Run it again later.\n');
      process.exitCode = 3;
    }
  });

/** The errors of a file of tests: in its hooks, its groups and its tests. */
function errorsOf(module: TestModule): unknown[] {
  const { children } = module;
  const groups = [module, ...children.allSuites()].flatMap((each) => each.errors());
  const tests = [...children.allTests()].flatMap((each) => each.result().errors ?? []);
  return [...groups, ...tests];
}

/** Returns why most tests cannot succeed, if nothing responds, or not to the key. */
async function findProblem(baseUrl: string, apiKey: string): Promise<string | undefined> {
  const address = `${baseUrl}/pets`;
  const init: RequestInit = {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}` },
    body: '{ invalid',
    redirect: 'manual',
    signal: AbortSignal.timeout(15_000),
  };
  try {
    const { status } = await fetch(address, init);
    const advice = {
      401: 'check that the API key is valid, and of this stage',
      403: 'check that the API key is not read-only, and that no firewall refuses you',
      404: 'check the base address',
    }[status];
    return advice && `POST ${address} responds ${status}: ${advice}.`;
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    const reason = cause?.code ?? cause?.message ?? message;
    return `No response from ${address}: ${reason}. Check that the service runs, and that this is its base address.`;
  }
}

/** Passes on text without what a service could send back: keys, control characters, commands for GitHub's runner. */
function plainText(stream: NodeJS.WriteStream): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      const text = stripVTControlCharacters(String(chunk))
        .replaceAll(/[^\P{C}\n]/gu, '?')
        // The runner trims all Unicode white space before it looks for a command.
        .replaceAll(/^(\s*)::/gm, '$1: :')
        .replaceAll(/^(.{1000}).+/gm, '$1 …')
        .replaceAll('##[', '# # [');
      stream.write(maskApiKeys(text), done);
    },
  });
}

if (import.meta.main) await runCommand(smoke);
