import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

/**
 * Runs Schemathesis, a test generator of its own making, against `npm start` by the description.
 *
 * It comes from PyPI into a folder of its own. Where Python or PyPI is missing the run is skipped
 * with a line that cannot be overlooked, and counts as passed.
 */
const version = '4.32.5';
const environment = 'node_modules/.cache/schemathesis';
const program = `${environment}/bin/schemathesis`;

/**
 * All checks but the one that every request which the schema allows is accepted: no schema can say
 * that a cursor was never given out, or that an Idempotency-Key was used before.
 */
const checks = ['--checks', 'all', '--exclude-checks', 'positive_data_acceptance'];

/** Fixed, so that a run says the same twice; `npm run test:schemathesis -- --seed 2` tries others. */
const [, , ...seed] = process.argv.length > 2 ? process.argv : ['', '', '--seed', '1'];

if (isInstalled()) process.exitCode = await run();
else
  process.stdout.write(
    '\n!!! SKIPPED: Schemathesis needs Python 3 and PyPI, and one is missing here.\n\n',
  );

function isInstalled(): boolean {
  if (existsSync(program)) return true;
  const isMade = spawnSync('python3', ['-m', 'venv', environment]).status === 0;
  const install = ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${version}`];
  return isMade && spawnSync(`${environment}/bin/pip`, install).status === 0;
}

async function run(): Promise<number> {
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
