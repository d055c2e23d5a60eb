import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startProcess, startService, temporaryFolder } from '../helpers/npmScript.ts';

it('npm run invoke calls a handler on the data of npm start, while it runs and after it', async () => {
  const folder = await temporaryFolder();
  const invoke = async (...args: string[]) => {
    const command = ['tools/invoke.ts', ...args, '--data', folder];
    const running = startProcess(process.execPath, command);
    expect([await running.exited, running.stderr]).toEqual([0, '']);
    return JSON.parse(running.stdout);
  };
  const service = await startService(['--data', folder]);
  const pet = '{"name":"Rex","categoryId":9223372036854775807}';
  const event = join(folder, 'event.json');
  await writeFile(event, `{"body": ${pet}}`);

  const created = await invoke('createPet', '--event', event);
  service.process.kill('SIGKILL');
  await service.exited;
  const read = await invoke('getPet', '{"pathParameters": {"petId": "1"}}');

  expect([created.statusCode, read.statusCode]).toEqual([201, 200]);
  expect(created.body).toContain('"categoryId":9223372036854775807');
  expect(read.body).toBe(created.body);
});
