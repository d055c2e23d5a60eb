import { globalAgent } from 'node:https';
import { expect, it, vi } from 'vitest';
import { stages } from '../../infra/stages.ts';
import { deploy } from '../../tools/deploy.ts';
import { keys } from '../../tools/keys.ts';
import { monitoringOptions } from '../../tools/releaseAlarms.ts';
import { restore } from '../../tools/restore.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const stage = stages[0]?.name ?? expect.fail();

it.each([
  ['npm run keys', () => runCommandHere(keys, ['list', '--stage', stage])],
  ['npm run deploy', () => runCommandHere(deploy, [stage])],
  ['npm run restore', () => runCommandHere(restore, ['--stage', stage, '--from', 'PetStore-copy'])],
  ['the look at alarms', lookAtAlarms],
])('the calls of AWS by %s use the agent that reads the proxy of the shell', async (_, run) => {
  for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB']) {
    vi.stubEnv(name, 'https://aws.example.invalid');
  }
  vi.spyOn(globalAgent, 'createConnection').mockImplementation(() => {
    throw new Error('through the agent');
  });

  expect((await run()).stderr).toContain('through the agent\n');
});

async function lookAtAlarms() {
  const stack = { name: stage, status: undefined, outputs: { HeartbeatAlarmArn: 'heartbeat' } };
  const stop = new AbortController();
  return monitoringOptions(stack, stop.signal).then(
    () => ({ stderr: '' }),
    ({ message }: Error) => ({ stderr: `${message}\n` }),
  );
}
