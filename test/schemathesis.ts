import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { installPythonCommand } from './helpers/installPythonCommand.ts';

/**
 * Runs Schemathesis, which generates requests from the OpenAPI document, against `npm start`.
 *
 * It is installed from PyPI. Without PyPI the run is skipped and counts as passed.
 */
const version = '4.32.5';

/**
 * All checks except the one that every valid request is accepted: no schema can say that a cursor was
 * never issued, or that an Idempotency-Key was used before.
 */
const checks = ['--checks', 'all', '--exclude-checks', 'positive_data_acceptance'];

/** Fixed, so that a run can be reproduced. `npm run test:schemathesis -- --seed 2` uses another seed. */
const [, , ...seed] = process.argv.length > 2 ? process.argv : ['', '', '--seed', '1'];

const program = installPythonCommand('schemathesis', version);
if (program) process.exitCode = await run(program);

async function run(program: string): Promise<number> {
  const service = spawn(process.execPath, ['infra/local/start.ts', '--port', '0', '--in-memory']);
  try {
    const { baseAddress, apiKey } = await readBanner(service);
    const header = `Authorization: Bearer ${apiKey}`;
    const args = [
      'run',
      'openapi.json',
      '--url',
      baseAddress,
      '--header',
      header,
      ...checks,
      ...seed,
    ];
    const [exitCode] = await once(spawn(program, args, { stdio: 'inherit' }), 'close');
    return exitCode ?? 1;
  } finally {
    service.kill('SIGTERM');
  }
}

function readBanner({ stdout }: ChildProcess): Promise<{ baseAddress: string; apiKey: string }> {
  const { promise, resolve, reject } =
    Promise.withResolvers<Awaited<ReturnType<typeof readBanner>>>();
  let banner = '';
  stdout?.on('data', (chunk) => {
    banner += chunk;
    const baseAddress = /http:\S+\/v1$/m.exec(banner)?.[0];
    const apiKey = /ps_local_[\w-]{49}/.exec(banner)?.[0];
    if (baseAddress && apiKey) resolve({ baseAddress, apiKey });
  });
  stdout?.on('close', () => reject(new Error('The service did not start.')));
  return promise;
}
