import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { maskApiKeys } from '../local/maskApiKeys.ts';
import { defineCommand, parseBaseAddress, print } from './command.ts';

/** Why most tests would fail, by the status of the response to an invalid pet. */
const problems: Record<number, string> = {
  401: 'PETSTORE_API_KEY must be a valid key of this stage',
  403: 'the API key must not be read-only, and no firewall may refuse you',
  404: 'check the base address',
};

export const smoke = defineCommand(
  'smoke',
  'Checks over HTTP that a deployment keeps what the interface promises.',
)
  .requiredOption(
    '--base-address <address>',
    'the base address, which ends in /v1',
    parseBaseAddress,
  )
  .option('--read-only', 'add no pet, and skip the tests that need one')
  .addHelpText(
    'after',
    `
Set the environment variable PETSTORE_API_KEY to a valid key of the deployment. The key must not be
read-only, even with --read-only, because the tests send invalid pets.

Set PETSTORE_CORS_ORIGIN to an origin whose pages may call the deployment, to try a preflight.

The command runs the tests in test/contract. Without --read-only it adds a few pets, named smoke-test and
the time. It changes no other pet.

The exit code is 0 if every promise is kept, and 2 if the tests cannot run with these options. It is 1 if a
promise is broken or the database failed: the report says which.`,
  )
  .action(async ({ baseAddress, readOnly }, command) => {
    const address = `${baseAddress}/pets`;
    // The key comes from the environment, because a list of processes shows arguments. A file may add a line end.
    const apiKey = process.env.PETSTORE_API_KEY?.trim();
    const { status } = await firstResponse(address, apiKey).catch(({ message, cause }) =>
      command.error(`error: No response from ${address}: ${cause?.code ?? message}.`),
    );
    const problem = problems[status];
    if (problem) command.error(`error: POST ${address} responds ${status}: ${problem}.`);

    Object.assign(process.env, {
      // vitest.config.ts reads these.
      PETSTORE_API_KEY: apiKey,
      PETSTORE_BASE_ADDRESS: baseAddress,
      PETSTORE_READ_ONLY: readOnly ? 'on' : '',
      // Colours inside of a key would keep it from being masked.
      NO_COLOR: '1',
    });
    const { startVitest } = await import('vitest/node');
    // This sets the exit code 1 if a test fails.
    await startVitest(
      [],
      // In a terminal, the live summary would keep the report from showing.
      { project: ['contract'], watch: false, reporters: [['default', { summary: false }]] },
      {},
      { stdout: withoutKeys(process.stdout), stderr: withoutKeys(process.stderr) },
    );
  });

/**
 * Sends an invalid pet, and returns the response. For a minute it tries again, because the name of a new API may not
 * resolve yet. After a redirect, `fetch` sends no other origin the key.
 */
async function firstResponse(address: string, apiKey: string | undefined): Promise<Response> {
  const endsAt = Date.now() + 60_000;
  for (;;) {
    try {
      return await fetch(address, {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}` },
        body: '{ invalid',
        signal: AbortSignal.timeout(15_000),
      });
    } catch (error) {
      if (Date.now() >= endsAt) throw error;
      print('Waiting for the first response, at most a minute.');
      await wait(10_000);
    }
  }
}

/** Passes text on with masked API keys, because a report may quote a response that repeats one. */
function withoutKeys(stream: NodeJS.WriteStream): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      stream.write(maskApiKeys(String(chunk)), done);
    },
  });
}
