import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keys } from '../../tools/keys.ts';
import { startScript, startService, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { exactPets, petText, withoutId } from '../helpers/samplePets.ts';

const start = (folder: string, args: string[], environment = {}) =>
  startScript('invoke', [...args, '--data', folder], environment);

async function invoke(folder: string, ...args: string[]) {
  const running = start(folder, args);
  expect([await running.exited, running.stderr]).toEqual([0, '']);
  return JSON.parse(running.stdout);
}

describe('npm run invoke, as a process', () => {
  it('reads an event from the standard input, and keeps the pet for the next command', async () => {
    const folder = await temporaryFolder();
    const creation = start(folder, ['createPet', '--event', '-']);
    const body = petText(exactPets.at(-1));
    creation.process.stdin.end(`{"body": ${body}}`);
    await creation.exited;

    const read = await invoke(folder, 'getPet', '{"pathParameters": {"petId": "1"}}');

    expect(withoutId(read.body)).toBe(body);
    expect(JSON.parse(creation.stdout).body).toBe(read.body);
  });

  it('uses the data and the key of an npm start that runs, also six at a time', async () => {
    const folder = await temporaryFolder();
    const service = await startService(['--data', folder]);

    const responses = await Promise.all(
      Array.from({ length: 6 }, () => invoke(folder, 'listPets')),
    );

    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(200));
    expect(await readFile(join(folder, 'api-key'), 'utf8')).toBe(service.apiKey);
    const listed = ['list', '--stage', 'local', '--data', folder];
    const { stdout } = await runCommandHere(keys, listed);
    expect(stdout.match(/^key_.+/gm)).toHaveLength(1);
  });

  it('ends with 1 if the handler throws, and leaves the data to the next command', async () => {
    const folder = await temporaryFolder();
    const broken = 'crypto.randomUUID = () => { throw new Error("no random number") }';
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(broken)}`;

    const running = start(folder, ['listPets'], { NODE_OPTIONS });

    expect(await running.exited).toBe(1);
    expect([running.stdout, running.stderr]).toEqual(['', 'no random number\n']);
    expect((await invoke(folder, 'listPets')).statusCode).toBe(200);
  });
});
