import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { Option } from '@commander-js/extra-typings';
import { defineCommand, print, runCommand, UsageError, wholeNumber } from './command.ts';

const responseTimeoutMs = 15_000;

/** Longer than a run may take, so that the tests report their own time-outs. */
const testTimeoutMs = 400_000;

export const smoke = defineCommand(
  'smoke',
  'Checks over HTTP that a deployment keeps what the interface promises.',
)
  .addOption(
    new Option('--base-url <url>', 'the base address, which ends in /v1').env('PETSTORE_BASE_URL'),
  )
  .addOption(
    new Option(
      '--api-key <key>',
      'a valid key of the deployment; use the environment, which no list of processes and no shell history shows',
    ).env('PETSTORE_API_KEY'),
  )
  .option('--read-only', 'add no pet, and skip the tests that need one')
  .option(
    '--wait <seconds>',
    'how long new pets may take to show in a list',
    wholeNumber(0, 999),
    10,
  )
  .option('--relative-links', 'accept links without a host, as emulators of API Gateway make')
  .addHelpText(
    'after',
    `
It runs the tests in test/contract. Without --read-only it adds four pets, named smoke-test and the
time, of status sold, and touches no other. The exit code is 0 if every promise is kept, 1 if one is
broken, 2 if the options are wrong.`,
  )
  .action(async (options) => {
    const service = readService(options);
    const trouble = await findTrouble(service);
    if (trouble === undefined) return runContract(service);
    print(trouble);
    process.exitCode = 1;
  });

type Service = ReturnType<typeof readService>;

/** Runs the tests in test/contract. vitest sets the exit code. */
async function runContract(service: Service): Promise<void> {
  // Loaded here, so that wrong options are reported at once.
  const { startVitest } = await import('vitest/node');
  await startVitest(
    [],
    {
      config: false,
      root: `${import.meta.dirname}/../..`,
      include: ['test/contract/*.test.ts'],
      provide: { service },
      reporters: ['verbose'],
      watch: false,
      pool: 'threads',
      isolate: false,
      fileParallelism: false,
      testTimeout: testTimeoutMs,
    },
    {},
    {
      stdout: withoutKey(process.stdout, service.apiKey),
      stderr: withoutKey(process.stderr, service.apiKey),
    },
  );
}

/** Returns why no test can succeed: nothing responds, or it is not a pet store, or it refuses the key. */
async function findTrouble({ baseAddress, apiKey }: Service): Promise<string | undefined> {
  try {
    const { status } = await fetch(`${baseAddress}/pets?limit=1`, {
      headers: { Authorization: `Bearer ${apiKey}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
    });
    if (status === 401) return `${baseAddress} responds 401: the API key is not valid there.`;
    return status === 404 ? `${baseAddress} is no pet store: it responds 404.` : undefined;
  } catch (error) {
    const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    return `No response to GET ${baseAddress}/pets: ${cause?.code ?? cause?.message ?? message}.`;
  }
}

/** Keeps the key out of everything that is written, even if a service sends it back. */
function withoutKey(stream: NodeJS.WriteStream, apiKey: string): Writable {
  // A mistyped key differs in its last character only.
  const secret = apiKey.slice(0, -1);
  return new Writable({
    write(chunk, _encoding, done) {
      stream.write(String(chunk).replaceAll(secret, '***'), done);
    },
  });
}

/** Errors say what to change and never contain the key. */
function readService(options: ReturnType<typeof smoke.opts>) {
  const baseAddress = readBaseAddress(options.baseUrl ?? '');
  const { apiKey = '' } = options;
  if (!/^ps_[\w-]+_[\w-]{49}$/.test(apiKey)) {
    throw new UsageError(
      '--api-key, or PETSTORE_API_KEY, takes a whole key, as npm run keys shows it: ps_<stage>_…',
    );
  }
  return {
    baseAddress,
    apiKey,
    mode: options.readOnly ? ('readOnly' as const) : ('fewPets' as const),
    acceptsRelativeLinks: options.relativeLinks ?? false,
    listDelayMs: options.wait * 1000,
    runId: randomUUID(),
    startedAtMs: Date.now(),
  };
}

function readBaseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const address = url && `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  const isPlain = url && url.href.replace(/\/$/, '') === address && /^https?:$/.test(url.protocol);
  if (!isPlain || !address.endsWith('/v1')) {
    throw new UsageError(
      '--base-url, or PETSTORE_BASE_URL, takes an http or https address that ends in /v1: the BaseAddress of the stack, or what npm start prints.',
    );
  }
  return address;
}

if (import.meta.main) await runCommand(smoke);
