import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { shutdownSignal } from '../../infra/local/shutdownSignal.ts';
import { defineCommand, print, runCommand } from '../../infra/tools/command.ts';
import { installPythonCommand } from '../helpers/installPythonCommand.ts';
import { bootstrap, deployStage, issueKey } from './deployStage.ts';
import { type Emulator, readLogs, startEmulator } from './startEmulator.ts';

/**
 * Deploys the staging stack into MiniStack, an emulator of AWS, with the real CDK.
 *
 * Then runs the contract tests against the bundled functions (`npm run smoke`). README.md says more.
 */
const version = '1.5.33';
const stage = 'v1-staging';

/** A run takes half a minute, longer on a busy machine. */
const runTimeoutMs = 600_000;

/** Kept until the next run. */
const emulatorLog = resolve('node_modules/.cache/ministack.log');
const functionLog = resolve('node_modules/.cache/functions.log');

export const deploy = defineCommand(
  'e2e:deploy',
  'Deploys staging into an emulator of AWS, and runs the smoke suite.',
)
  .option('--keep', 'keep the deployment until Ctrl+C, and print its environment')
  .addHelpText('after', '\ntest/e2e/README.md explains it.')
  .action(async ({ keep = false }) => {
    const program = installPythonCommand('ministack', version);
    if (program) process.exitCode = await main(program, keep);
  });

/** Returns the exit code. */
async function main(program: string, isKept: boolean): Promise<number> {
  const stop = shutdownSignal();
  const signal = AbortSignal.any([stop, AbortSignal.timeout(runTimeoutMs)]);
  const folder = await mkdtemp(join(tmpdir(), 'petstore-e2e-'));
  let emulator: Emulator | undefined;
  try {
    emulator = await step(
      `started MiniStack ${version}`,
      startEmulator({ program, folder, logFile: emulatorLog, signal }),
    );
    const deployment = { emulator, stage, folder, signal };
    await step('bootstrapped its account', bootstrap(deployment));
    const baseAddress = await step(`deployed ${stage}`, deployStage(deployment));
    const apiKey = await step('issued an API key', issueKey(deployment));
    const environment = {
      ...emulator.environment,
      PETSTORE_BASE_URL: baseAddress,
      PETSTORE_API_KEY: apiKey,
    };
    const exitCode = await smoke(environment, signal);
    if (exitCode !== 0) {
      await writeFile(functionLog, await readLogs(emulator.endpoint));
      print(`What the functions logged, by X-Request-Id, is in ${functionLog}.`);
    }
    if (isKept && !stop.aborted) {
      print(keptText(environment));
      await Promise.race([once(stop, 'abort'), emulator.ended]);
    }
    return exitCode;
  } catch (error) {
    print(stop.aborted ? 'Stopped.' : explain(error));
    return 1;
  } finally {
    await emulator?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function smoke(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  // MiniStack tells a function no domain, so links have none.
  const args = ['infra/tools/smoke.ts', '--relative-links'];
  const [exitCode] = await once(
    spawn(process.execPath, args, { env, signal, stdio: 'inherit' }),
    'close',
  );
  return exitCode ?? 1;
}

async function step<T>(title: string, result: Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  const value = await result;
  print(`${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(5)} s  ${title}`);
  return value;
}

/** The environment for a second shell. */
function keptText(environment: NodeJS.ProcessEnv): string {
  const names = Object.keys(environment).filter((name) => /^(AWS|PETSTORE)_/.test(name));
  const lines = names.map((name) => `export ${name}=${environment[name]}`);
  return ['', ...lines, '', 'MiniStack runs until Ctrl+C.'].join('\n');
}

/** The outputs of a failed program say why. The error's message repeats them, so only its first line is used. */
function explain(error: unknown): string {
  const { message, stdout = '', stderr = '' } = error as Error & Record<string, string>;
  const [summary] = message.split('\n');
  return `${stdout}${stderr}\n${summary}\nThe output of MiniStack is in ${emulatorLog}.`;
}

if (import.meta.main) await runCommand(deploy);
