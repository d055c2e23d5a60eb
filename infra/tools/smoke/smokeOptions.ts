import { parseArgs } from 'node:util';
import type { ServiceOptions } from './openService.ts';

export const smokeUsage = `Checks that a deployment keeps what the interface promises, over HTTP alone.

  npm run smoke -- --base-url <url> --api-key <key> [options]

  --base-url <url>   the base address, which ends in /v1; or PETSTORE_BASE_URL
  --api-key <key>    a live key of the deployment; or PETSTORE_API_KEY, which no list of processes
                     and no shell history shows
  --wait <seconds>   how long new pets may take to show in a list              (10)
  --relative-links   take links without a host, which emulators of API Gateway make
  --help             print this

It adds three pets, named smoke-test and the time, of status sold, and touches no other. The exit code
is 0 where every promise is kept, 1 where one is broken, and 2 where the options are wrong.`;

export type SmokeOptions = ServiceOptions & { waitMs: number };

/**
 * Returns undefined where help is asked for.
 *
 * Throws an error that says what to change, and never repeats the key.
 */
export function readSmokeOptions(
  args: string[],
  environment: NodeJS.ProcessEnv,
): SmokeOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      'base-url': { type: 'string', default: environment.PETSTORE_BASE_URL ?? '' },
      'api-key': { type: 'string', default: environment.PETSTORE_API_KEY ?? '' },
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
  const areRelativeLinksTaken = values['relative-links'];
  return { baseAddress, apiKey, areRelativeLinksTaken, waitMs: Number(values.wait) * 1000 };
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
