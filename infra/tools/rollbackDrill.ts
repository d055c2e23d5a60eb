import { setTimeout as wait } from 'node:timers/promises';
import { isApiKeyOf } from '../../lib/apiKeys/apiKey.ts';
import { outputNames, stackName, stages } from '../stages.ts';
import { defineCommand, print, runCommand, UsageError, wholeNumber } from './command.ts';
import { readStackOutput } from './openStageTable.ts';
import { runWithProbe, type Send, statusOf } from './probe.ts';

/** The drill deploys as an operator does. */
const fixedCdkArgs = ['--require-approval', 'never', '--no-notices'];

/** If a tenth of the traffic fails, the chance of 50 successes in a row is 1 in 190 (0.9^50). */
const requiredSuccesses = 50;

export const rollbackDrill = defineCommand('rollback-drill')
  .option('--api-key <key>', 'a valid key of the stage', '')
  .option('--stage <stage>', 'a stage that allows faults; production does not', 'v1-staging')
  .option('--every-ms <ms>', 'the interval between requests', wholeNumber(1, 99_999), 200)
  .option(
    '--recover-in-seconds <seconds>',
    'how soon the service must be healthy after a rollback',
    wholeNumber(1, 99_999),
    120,
  )
  .argument('[options of cdk deploy...]', 'after a second --')
  .addHelpText(
    'after',
    `
The drill takes about 10 minutes, does not ask for approval, and needs your own AWS credentials and
Region. The exit code is 0 if the release was rolled back and the service is healthy again.`,
  )
  .action((cdkArgs, options) => drill(options, cdkArgs));

type Options = ReturnType<typeof rollbackDrill.opts>;

async function drill(options: Options, cdkArgs: string[]): Promise<void> {
  const { apiKey, everyMs } = options;
  const recoveryMs = 1000 * options.recoverInSeconds;
  const stage = stages.find(({ name }) => name === options.stage);
  if (!stage?.allowsFault)
    throw new UsageError(`${options.stage} is not a stage that allows faults.`);
  if (!isApiKeyOf(stage.name, apiKey)) {
    throw new UsageError(`--api-key takes a key of ${stage.name}.`);
  }
  const stack = stackName(stage.name);
  const address = `${await readStackOutput(stack, outputNames.baseAddress)}/pets?limit=1`;
  const send = () => statusOf(address, { apiKey });

  const status = await send();
  if (status !== 200) throw new Error(`${address} returns ${status} before the drill begins.`);

  print(`Deploying a version of ${stack} that returns 500 for every request with a valid key.`);
  const { exitCode: cdkExitCode, total } = await runWithProbe(
    ['cdk', 'deploy', stack, '-c', 'fault=on', ...fixedCdkArgs, ...cdkArgs],
    { send, everyMs },
  );

  if (cdkExitCode === 0) {
    throw new Error(
      `The deployment succeeded: nothing rolled it back. ${stack} FAILS NOW: deploy it again without the fault.`,
    );
  }
  if (total.failures === 0) {
    throw new Error(
      'The deployment failed before the version got any traffic: nothing was tested.',
    );
  }
  await waitForRecovery(send, everyMs, recoveryMs);
  print('The release was rolled back, and the service is healthy.');
}

async function waitForRecovery(send: Send, everyMs: number, recoveryMs: number): Promise<void> {
  const deadlineMs = performance.now() + recoveryMs;
  let successes = 0;
  let status = 0;
  while (successes < requiredSuccesses) {
    if (performance.now() > deadlineMs) {
      throw new Error(
        `The deployment failed, but the service returns ${status}: look at CodeDeploy and CloudFormation.`,
      );
    }
    status = await send();
    successes = status === 200 ? successes + 1 : 0;
    await wait(everyMs);
  }
}

if (import.meta.main) await runCommand(rollbackDrill);
