import { parseArgs } from 'node:util';
import { localStage } from './localStage.ts';

export const startUsage = `Serves the pet store interface on this machine.

  npm start -- [options]

  --port <number>   the port to listen on; 0 takes any free one    (3000)
  --host <address>  the address to listen on                       (127.0.0.1)
  --data <folder>   where the pets and the API key are kept        (${localStage.dataFolder})
  --in-memory       keep nothing
  --seed <number>   first add this many made-up pets to those that
                    are there, up to 1000000                       (0)
  --watch           start again when a source file changes, on the
                    same port; --seed counts for the first start
  --json            print one JSON object a line
  --help            print this

Colours are for terminals; NO_COLOR=1 turns them off, FORCE_COLOR=1 on.

AWS_ENDPOINT_URL_DYNAMODB=<url> uses another DynamoDB engine instead of the embedded one.`;

export type StartOptions = {
  port: number;
  host: string;
  /** Absent: in memory. */
  folder?: string;
  seedPetCount: number;
  isWatchWanted: boolean;
  isJsonWanted: boolean;
  isHelpWanted: boolean;
};

const maxSeedPets = 1_000_000;

/** Throws an error that says what to change where an option is unknown or out of range. */
export function readStartOptions(args: string[]): StartOptions {
  const { values } = parseArgs({
    args,
    // For `--no-watch`, with which `--watch` starts its service.
    allowNegative: true,
    options: {
      port: { type: 'string', default: '3000' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      'in-memory': { type: 'boolean', default: false },
      seed: { type: 'string', default: '0' },
      watch: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new Error('--port takes a number from 0 to 65535.');
  }
  // Node.js would take none for all of them.
  if (values.host === '') {
    throw new Error('--host takes an address: 127.0.0.1, or 0.0.0.0 for all of this machine.');
  }
  if (!/^\d{1,7}$/.test(values.seed) || Number(values.seed) > maxSeedPets) {
    throw new Error(`--seed takes a whole number from 0 to ${maxSeedPets}.`);
  }
  if (values['in-memory'] && values.data !== undefined) {
    throw new Error('--data and --in-memory exclude each other.');
  }
  return {
    port: Number(values.port),
    host: values.host,
    ...(!values['in-memory'] && { folder: values.data ?? localStage.dataFolder }),
    seedPetCount: Number(values.seed),
    isWatchWanted: values.watch,
    isJsonWanted: values.json,
    isHelpWanted: values.help,
  };
}
