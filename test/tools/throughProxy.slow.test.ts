import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { otherName } from '../helpers/bareStage.ts';
import { listen } from '../helpers/listen.ts';
import { runScript } from '../helpers/npmScript.ts';

it.each([
  ['deploy', [otherName]],
  ['keys', ['list', '--stage', otherName]],
  ['restore', ['--stage', otherName, '--at', new Date().toISOString()]],
] as const)('npm run %s reaches AWS through the proxy of the shell', async (script, args) => {
  const targets = new Set<string | undefined>();
  const proxy = createServer().on('connect', ({ url }, socket) => {
    targets.add(url);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const address = 'https://aws.example.invalid';

  const { exitCode } = await runScript(script, [...args], {
    AWS_ENDPOINT_URL: address,
    AWS_ENDPOINT_URL_DYNAMODB: address,
    HTTPS_PROXY: await listen(proxy),
    NODE_USE_ENV_PROXY: '1',
  });

  expect([...targets]).toEqual(['aws.example.invalid:443']);
  expect(exitCode).toBe(1);
});
