import { setTimeout as wait } from 'node:timers/promises';
import { isApiKeyOf } from '../../lib/apiKeys/apiKey.ts';
import { outputNames, stackName, stages } from '../stages.ts';
import { readStackOutput } from './openStageTable.ts';
import { runWithProbe, type Send, statusOf } from './probeTraffic.ts';
import { print, runCommand, type Values, wholeNumber } from './runCommand.ts';

const usage = `Deploys a failing version to a stage, and watches CodeDeploy roll it back.

  npm run rollback-drill -- --api-key <key> [options] [-- <options of cdk deploy>]

  --api-key             a valid key of the stage
  --stage               a stage that allows faults; production does not        (v1-staging)
  --every-ms            the interval between requests                          (200)
  --recover-in-seconds  how soon the service must be healthy after a rollback  (120)

The drill takes about 10 minutes, does not ask for approval, and needs your own AWS credentials and
Region. The exit code is 0 if the release was rolled back and the service is healthy again.`;

const options = {
  'api-key': { type: 'string', default: '' },
  stage: { type: 'string', default: 'v1-staging' },
  'every-ms': { type: 'string', default: '200' },
  'recover-in-seconds': { type: 'string', default: '120' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The drill deploys as an operator does. */
const fixedCdkArgs = ['--require-approval', 'never', '--no-notices'];

/** While a tenth of the traffic fails, so many successes in a row happen once in 190 times. */
const requiredSuccesses = 50;

if (import.meta.main) process.exitCode = await rollbackDrill(process.argv.slice(2));

/** Runs `npm run rollback-drill` with these arguments. Returns the exit code. */
export function rollbackDrill(args: string[]): Promise<number> {
  return runCommand({ usage, options, run }, args);
}

async function run(values: Values<typeof options>, cdkArgs: string[]): Promise<true> {
  const apiKey = values['api-key'];
  const everyMs = wholeNumber('every-ms', values['every-ms'], 1);
  const recoveryMs = 1000 * wholeNumber('recover-in-seconds', values['recover-in-seconds'], 1);
  const stage = stages.find(({ name }) => name === values.stage);
  if (!stage?.allowsFault) throw new Error(`${values.stage} is not a stage that allows faults.`);
  if (!isApiKeyOf(stage.name, apiKey)) throw new Error(`--api-key takes a key of ${stage.name}.`);
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
  return true;
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
