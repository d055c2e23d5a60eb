import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { TestModule } from 'vitest/node';
import { apiKeyPattern } from '../lib/apiKeys/apiKey.ts';
import { maskApiKeys } from '../local/maskApiKeys.ts';
import { defineCommand, parseBaseAddress, runCommand } from './command.ts';

export const smoke = defineCommand(
  'smoke',
  'Checks over HTTP that a deployment keeps what the interface promises.',
)
  .requiredOption('--base-url <url>', 'the base address, which ends in /v1', parseBaseAddress)
  .option('--read-only', 'add no pet, and skip the tests that need one')
  .addHelpText(
    'after',
    `
Set the environment variable PETSTORE_API_KEY to a valid key of the deployment. The key must not be
read-only, even with --read-only, because the tests send invalid pets.

The command runs the tests in test/contract. Without --read-only it adds a few pets, named smoke-test and
the time. It changes no other pet.

The exit code is 0 if every promise is kept, 1 if a promise is broken, and 2 if the test cannot run with
these options. It is 3 if the database failed: every failure is a 503.`,
  )
  .action(async ({ baseUrl, readOnly }, command) => {
    // The key comes from the environment, because a list of processes shows arguments.
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
    // vitest itself sets the exit code 1 if a test fails.
    const { state } = await startVitest(
      [],
      // In a terminal, the live summary would keep the report from showing.
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

/** The errors in a test file: in its hooks, its groups and its tests. */
function errorsOf(module: TestModule): unknown[] {
  const { children } = module;
  const groups = [module, ...children.allSuites()].flatMap((each) => each.errors());
  const tests = [...children.allTests()].flatMap((each) => each.result().errors ?? []);
  return [...groups, ...tests];
}

/** Returns why most tests cannot succeed, or `undefined` if the service accepts the address and the key. */
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

/** Passes text on without keys, control characters and commands for GitHub's runner, which a service could send. */
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
