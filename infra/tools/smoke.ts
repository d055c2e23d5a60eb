import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';

const usage = `Checks over HTTP that a deployment keeps what the interface promises, with the tests in test/contract.

  npm run smoke -- --base-url <url> --api-key <key> [options]

  --base-url <url>   the base address, which ends in /v1; or PETSTORE_BASE_URL
  --api-key <key>    a valid key of the deployment; or PETSTORE_API_KEY, which no list of processes
                     and no shell history shows
  --read-only        add no pet, and skip the tests that need one
  --wait <seconds>   how long new pets may take to show in a list              (10)
  --relative-links   accept links without a host, which emulators of API Gateway make
  --help             print this

Without --read-only it adds four pets, named smoke-test and the time, of status sold, and touches no
other. The exit code is 0 if every promise is kept, 1 if one is broken, 2 if the options are wrong.`;

/** The exit code for wrong options, so that a pipeline can tell them from a service that fails. */
const misuse = 2;

const responseTimeoutMs = 15_000;

/** Longer than a run may take, so that the tests report their own time-outs. */
const testTimeoutMs = 400_000;

if (import.meta.main) process.exitCode = await smoke(process.argv.slice(2));

/** Runs `npm run smoke` with these arguments. Returns the exit code. */
export async function smoke(args: string[]): Promise<number> {
  let service: ReturnType<typeof readOptions>;
  try {
    service = readOptions(args, process.env);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const help = code?.startsWith('ERR_PARSE_ARGS') ? `\n\n${usage}` : '';
    process.stderr.write(`${message}${help}\n`);
    return misuse;
  }
  if (!service) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const trouble = await findTrouble(service);
  if (trouble === undefined) return runContract(service);
  process.stdout.write(`${trouble}\n`);
  return 1;
}

type Service = NonNullable<ReturnType<typeof readOptions>>;

/** Runs the tests in test/contract. Returns the exit code, which vitest sets. */
async function runContract(service: Service): Promise<number> {
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
  return Number(process.exitCode ?? 0);
}

/** Returns why no test can succeed: nothing responds, or it is no pet store, or refuses the key. */
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

/** Returns undefined if help is asked for. Errors say what to change and never contain the key. */
function readOptions(args: string[], environment: NodeJS.ProcessEnv) {
  const { values } = parseArgs({
    args,
    options: {
      'base-url': { type: 'string', default: environment.PETSTORE_BASE_URL ?? '' },
      'api-key': { type: 'string', default: environment.PETSTORE_API_KEY ?? '' },
      'read-only': { type: 'boolean', default: false },
      wait: { type: 'string', default: '10' },
      'relative-links': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;

  const baseAddress = readBaseAddress(values['base-url']);
  const apiKey = values['api-key'];
  if (!/^ps_[A-Za-z0-9-]+_[\w-]{49}$/.test(apiKey)) {
    throw new Error(
      '--api-key, or PETSTORE_API_KEY, takes a whole key, as npm run keys shows it: ps_<stage>_…',
    );
  }
  if (!/^\d{1,3}$/.test(values.wait)) {
    throw new Error('--wait takes a whole number of seconds from 0 to 999.');
  }
  return {
    baseAddress,
    apiKey,
    mode: values['read-only'] ? ('readOnly' as const) : ('fewPets' as const),
    acceptsRelativeLinks: values['relative-links'],
    listDelayMs: Number(values.wait) * 1000,
    runId: randomUUID(),
    startedAtMs: Date.now(),
  };
}

function readBaseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const address = url && `${url.origin}${url.pathname.replace(/\/$/, '')}`;
  const isPlain = url && url.href.replace(/\/$/, '') === address && /^https?:$/.test(url.protocol);
  if (!isPlain || !address.endsWith('/v1')) {
    throw new Error(
      '--base-url, or PETSTORE_BASE_URL, takes an http or https address that ends in /v1: the BaseAddress of the stack, or what npm start prints.',
    );
  }
  return address;
}
