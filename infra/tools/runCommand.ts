import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values'];

type CommandLine<Options extends ParseArgsOptionsConfig, Command> = {
  usage: string;
  options: Options & { help: { type: 'boolean' } };
  /** By the word that asks for it. */
  commands: Record<string, Command>;
  run: (command: Command, values: Values<Options>) => Promise<void>;
};

/**
 * Runs the one command that the arguments of this process name, or prints the usage.
 *
 * An error is told in its own words, without a stack, and makes the exit code 1.
 */
export async function runCommand<Options extends ParseArgsOptionsConfig, Command>({
  usage,
  options,
  commands,
  run,
}: CommandLine<Options, Command>): Promise<void> {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [verb = '', ...others] = positionals;
    const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
    if ('help' in values && values.help) process.stdout.write(`${usage}\n`);
    else if (!command || others.length > 0) throw new Error(usage);
    else await run(command, values as Values<Options>);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
