import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The values that `parseArgs` returns for these options. */
export type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values'];

type CommandLine<Options extends ParseArgsOptionsConfig> = {
  usage: string;
  options: Options & { help: { type: 'boolean' } };
  /** Returns whether the command succeeded. */
  run: (values: Values<Options>, positionals: string[]) => Promise<boolean>;
};

/**
 * Parses the arguments of a command and runs it, or prints its usage. Returns the exit code.
 *
 * An error is printed without its stack, and the exit code is 1.
 */
export async function runCommand<Options extends ParseArgsOptionsConfig>(
  { usage, options, run }: CommandLine<Options>,
  args: string[],
): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    if ('help' in values && values.help) {
      print(usage);
      return 0;
    }
    return (await run(values as Values<Options>, positionals)) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

/** Returns the one command that the positional arguments name. Throws the usage for anything else. */
export function findCommand<Command>(
  commands: Record<string, Command>,
  [name = '', ...others]: string[],
  usage: string,
): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command || others.length > 0) throw new Error(usage);
  return command;
}

/** Returns the value of an option. Throws if it is missing or blank. */
export function required(name: string, value: string | undefined): string {
  if (!value?.trim()) throw new Error(`--${name} is missing.`);
  return value;
}

/** Reads the value of an option as a whole number of up to five digits. */
export function wholeNumber(name: string, value: string, least: 0 | 1): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) < least) {
    throw new Error(`--${name} takes a whole number from ${least} to 99999.`);
  }
  return Number(value);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
