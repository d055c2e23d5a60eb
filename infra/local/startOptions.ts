import { parseArgs } from 'node:util';
import { localStage } from './localStage.ts';

export const startUsage = `Serves the pet store interface on this machine.

  npm start -- [options]

  --port <number>   the port to listen on; 0 takes any free one    (3000)
  --host <address>  the address to listen on                       (127.0.0.1)
  --data <folder>   where the pets and the API key are kept        (${localStage.dataFolder})
  --in-memory       keep nothing
  --help            print this

AWS_ENDPOINT_URL_DYNAMODB=<url> uses another DynamoDB engine instead of the embedded one.`;

export type StartOptions = {
  port: number;
  host: string;
  /** Absent: in memory. */
  folder?: string;
  isHelpWanted: boolean;
};

/** Throws an error that says what to change where an option is unknown or out of range. */
export function readStartOptions(args: string[]): StartOptions {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '3000' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      'in-memory': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
    throw new Error('--port takes a number from 0 to 65535.');
  }
  if (values['in-memory'] && values.data !== undefined) {
    throw new Error('--data and --in-memory exclude each other.');
  }
  return {
    port: Number(values.port),
    host: values.host,
    ...(!values['in-memory'] && { folder: values.data ?? localStage.dataFolder }),
    isHelpWanted: values.help,
  };
}
