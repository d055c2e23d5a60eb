import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { defineCommand, print, runCommand } from '../infra/tools/command.ts';
import { freePort } from './e2e/startEmulator.ts';

export const dynoxide = defineCommand(
  'test:dynoxide',
  'Runs the tests against dynoxide, an engine that answers more like DynamoDB than the embedded one.',
)
  .argument('[arguments of vitest...]', 'options of vitest after a second --')
  .addHelpText('after', '\nOutside Linux on x64, the run prints that it is skipped, and passes.')
  .action(async (args) => {
    const program = findProgram();
    if (program) process.exitCode = await run(program, args);
    else print('\n!!! SKIPPED: dynoxide is not installed on this system: it needs Linux on x64.\n');
  });

/** npm installs the package only where the program runs. */
function findProgram(): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve('@dynoxide/linux-x64/dynoxide'));
  } catch {
    return undefined;
  }
}

async function run(program: string, args: string[]): Promise<number> {
  const port = await freePort();
  const engine = spawn(program, ['--host', '127.0.0.1', '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(engine, 'spawn');
  try {
    // Not the tests of synthesised templates.
    const command = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'service', ...args];
    const vitest = spawn(process.execPath, command, {
      stdio: 'inherit',
      env: { ...process.env, TEST_DYNAMODB_ENDPOINT: `http://127.0.0.1:${port}` },
    });
    const [exitCode] = await once(vitest, 'close');
    return exitCode ?? 1;
  } finally {
    engine.kill();
  }
}

if (import.meta.main) await runCommand(dynoxide);
