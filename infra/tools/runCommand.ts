import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values'];

type CommandLine<Options extends ParseArgsOptionsConfig, Command> = {
  usage: string;
  options: Options & { help: { type: 'boolean' } };
  /** By the word that asks for it. */
  commands: Record<string, Command>;
  /** Returns whether all is well. */
  run: (command: Command, values: Values<Options>) => Promise<boolean>;
};

/**
 * Runs the one command that the arguments name, or prints the usage. Returns the exit code.
 *
 * An error is told in its own words, without a stack, and makes the exit code 1.
 */
export async function runCommand<Options extends ParseArgsOptionsConfig, Command>(
  { usage, options, commands, run }: CommandLine<Options, Command>,
  args: string[],
): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
    const [verb = '', ...others] = positionals;
    const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
    if ('help' in values && values.help) {
      process.stdout.write(`${usage}\n`);
      return 0;
    }
    if (!command || others.length > 0) throw new Error(usage);
    return (await run(command, values as Values<Options>)) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}
