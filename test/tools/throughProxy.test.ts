import { globalAgent } from 'node:https';
import { expect, it, vi } from 'vitest';
import { keys } from '../../tools/keys.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

it('calls of AWS use the agent that reads the proxy of the shell', async () => {
  vi.spyOn(globalAgent, 'createConnection').mockImplementation(() => {
    throw new Error('through the agent');
  });

  const { stderr } = await runCommandHere(keys, ['list', '--stage', 'v1-other'], {
    AWS_ENDPOINT_URL_DYNAMODB: 'https://aws.example.invalid',
  });

  expect(stderr).toBe('through the agent\n');
});
