import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { keys } from '../../infra/tools/keys.ts';
import { start } from '../../infra/tools/start.ts';
import { listen } from '../helpers/listen.ts';
import { runScript, temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const embedded = { AWS_ENDPOINT_URL_DYNAMODB: '' };

describe('npm start', () => {
  it('says what to do if the port is taken', async () => {
    const port = Number(new URL(await listen(() => {})).port);

    // As a process, because the database has started already and must not keep it alive.
    const { exitCode, stderr } = await runScript('start', ['--port', String(port), '--in-memory']);

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `Port ${port} is taken. Stop the program that uses it, or choose another port: npm start -- --port ${port + 1}  (0 takes any free port)\n`,
    );
  });

  it('says what to do if the data folder is in use', async () => {
    const folder = await temporaryFolder();
    const database = await startEmbeddedDatabase(folder);

    const refused = await runCommandHere(start, ['--port', '0', '--data', folder], embedded);

    await database.stop();
    expect(refused).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `The data in ${folder}/dynamodb is in use by another npm start. Choose another folder with --data, or use --in-memory.\n`,
    });
  });

  it.each([
    ['is a file', 'package.json', 'ENOTDIR'],
    ['cannot be created', '/proc/none/data', 'ENOENT'],
  ])('says what to do if the data folder %s', async (_problem, folder, code) => {
    const args = ['--port', '0', '--data', folder];

    const { exitCode, stderr } = await runCommandHere(start, args, embedded);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^The data in ${folder}/dynamodb is not usable: ${code}.+--in-memory\\.\\n$`),
    );
  });
});

describe.each([
  ['npm start', start, ['--port', '0', '--in-memory']],
  ['npm run keys', keys, ['list', '--stage', 'local']],
] as const)('%s with AWS_ENDPOINT_URL_DYNAMODB', (_name, command, args) => {
  it.each([
    ['nonsense', 'it must begin with http://'],
    ['localhost:8000', 'it must begin with http://'],
    ['http://127.0.0.1:1', 'ECONNREFUSED'],
  ])('%s says what to change', async (address, reason) => {
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: address };

    const refused = await runCommandHere(command, [...args], environment);

    expect(refused).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `No DynamoDB engine responds at ${address} (${reason}): correct AWS_ENDPOINT_URL_DYNAMODB, start the engine, or unset the variable to use the embedded one.\n`,
    });
  });

  it.each(['{}', '<html>'])('of a server that responds %s says what to change', async (body) => {
    const address = await listen((_request, response) => response.end(body));
    const environment = { AWS_ENDPOINT_URL_DYNAMODB: address };

    const { exitCode, stderr } = await runCommandHere(command, [...args], environment);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      new RegExp(`^No DynamoDB engine responds at ${address} \\(something else responds\\): .+\n$`),
    );
  });
});

describe('npm run keys', () => {
  it('creates no database in a folder that has none', async () => {
    const folder = join(await temporaryFolder(), 'typo');

    const { exitCode, stderr } = await runCommandHere(
      keys,
      ['list', '--stage', 'local', '--data', folder],
      embedded,
    );

    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `There is no data in ${folder}. Name the folder of the service with --data, or run npm start first.\n`,
    );
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a command before npm ci', () => {
  it('says in one line what to run', async () => {
    const folder = await temporaryFolder();
    const check = join(folder, 'infra/tools/assertInstalled.cjs');
    await cp('infra/tools/assertInstalled.cjs', check);

    const started = promisify(execFile)(process.execPath, ['-r', check, 'infra/tools/start.ts']);

    await expect(started).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Run "npm ci" first: .+\n$/),
    });
  });
});
