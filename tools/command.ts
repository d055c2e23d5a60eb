import { basename } from 'node:path';
import {
  Command,
  CommanderError,
  type CommandUnknownOpts,
  InvalidArgumentError,
} from '@commander-js/extra-typings';
import { maskApiKeys } from '../local/maskApiKeys.ts';

/**
 * Starts the definition of an npm script. Options and action follow, as `commander` describes.
 *
 * An action that fails throws, or sets `process.exitCode`. `command.error` reports wrong usage.
 */
export function defineCommand(script: string, description: string) {
  // Run without run.cjs, the file would define the command, do nothing and exit with 0.
  if (basename(process.argv[1] ?? '') === `${script.replace(/.*:/, '')}.ts`) {
    throw new Error(`Run it as: npm run ${script}`);
  }
  return new Command(`npm ${script === 'start' ? '' : 'run '}${script} --`)
    .description(description)
    .showHelpAfterError('Use --help to see what it takes.')
    .configureOutput({
      // Commander quotes the arguments, which may contain an API key.
      outputError: (text, write) => write(maskApiKeys(text)),
    })
    .exitOverride();
}

/**
 * Runs a command and sets the exit code: 1 if it fails, and 2 for wrong usage. A pipeline can tell both apart.
 *
 * A failure is printed without its stack, unless it is a mistake in the code.
 */
export async function runCommand(command: CommandUnknownOpts, args: string[]): Promise<void> {
  try {
    rejectOptionsOfNpm(command, args);
    await command.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) process.exitCode = 2;
      return;
    }
    process.stderr.write(`${maskApiKeys(failureText(error))}\n`);
    process.exitCode = 1;
  }
}

/**
 * Rejects options that npm took for itself, because `--` is not before them: `npm start --port 1`.
 *
 * npm passes them on as environment variables, such as npm_config_in_memory.
 */
function rejectOptionsOfNpm(command: CommandUnknownOpts, args: string[]): void {
  const subcommand = command.commands.find((each) => args.includes(each.name()));
  const taken = (subcommand ?? command).options
    .filter(({ long = '' }) => !args.includes(long))
    .filter(({ long = '' }) => `npm_config_${long.slice(2).replaceAll('-', '_')}` in process.env)
    .map(({ flags }) => flags);
  if (taken.length === 0) return;
  const line = [command.name(), ...(subcommand ? [subcommand.name()] : []), ...taken].join(' ');
  command.error(
    `error: npm took the options for itself. Put -- before them, in PowerShell '--': ${line}`,
  );
}

function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isMistake = /^(Assertion|Range|Reference|Syntax|Type)Error$/.test(error.name);
  return isMistake ? String(error.stack) : error.message;
}

/** Reads the value of an option as a whole number. */
export function parseWholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d{1,9}$/.test(text) || number < least || number > most) {
      throw new InvalidArgumentError(`It takes a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}

/** Reads the value of an option as the path of a folder. Rejects an empty text, such as an unset shell variable. */
export function parseFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It takes the path of a folder.');
  return text;
}

/** Reads the value of an option as the base address of a deployment. */
export function parseBaseAddress(text: string): string {
  const address = text.replace(/\/$/, '');
  // Callers append a path to this text, so it must not end in a query or a fragment.
  if (!/^https?:\/\/[^\s?#]+\/v1$/.test(address)) {
    throw new InvalidArgumentError(
      'It takes an address that ends in /v1: the BaseAddress of the stack, or what npm start prints.',
    );
  }
  return address;
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
