import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startEmbeddedDatabase } from '../../infra/local/localDatabase.ts';
import { start } from '../../infra/local/start.ts';
import { docs } from '../../infra/tools/docs.ts';
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

  it('says what to do if the data folder is a file', async () => {
    const args = ['--port', '0', '--data', 'package.json'];

    const { exitCode, stderr } = await runCommandHere(start, args, embedded);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^The data in package\.json\/dynamodb is not usable: ENOTDIR.+--in-memory\.\n$/,
    );
  });

  it.each([
    [[], /^The data in \.petstore\/dynamodb is not usable: E/],
    [['--watch'], /^The working directory is deleted\. Change to another one\.\n$/],
  ])('says what to do if the working directory is deleted, with %j', async (args, message) => {
    const folder = await temporaryFolder();
    const script = resolve('infra/local/start.ts');
    const command = `rmdir "$PWD"; exec '${process.execPath}' '${script}' --port 0 ${args.join(' ')}`;
    const env = { ...process.env, ...embedded };

    const started = promisify(execFile)('sh', ['-c', command], {
      cwd: folder,
      env,
      timeout: 15_000,
      killSignal: 'SIGKILL',
    });

    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(message),
    });
  });

  it('says what to do if the host is an address of another machine', async () => {
    const { exitCode, stderr } = await runCommandHere(start, [
      ...['--port', '0', '--in-memory', '--host', '203.0.113.9'],
    ]);

    expect(stderr).toBe(
      'This machine has no address 203.0.113.9. Use --host 127.0.0.1, or --host 0.0.0.0 for all addresses of this machine.\n',
    );
    expect(exitCode).toBe(1);
  });

  it('says what to do if no engine responds at AWS_ENDPOINT_URL_DYNAMODB', async () => {
    const { exitCode, stderr } = await runCommandHere(start, ['--port', '0', '--in-memory'], {
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
    });

    expect(exitCode).toBe(1);
    expect(stderr).toContain('No DynamoDB engine responds at http://127.0.0.1:1');
  });
});

describe('npm run docs', () => {
  it('says why the folder cannot exist', async () => {
    const { exitCode, stderr } = await runCommandHere(docs, ['--out', '/proc/nope']);

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^E.+ mkdir '\/proc\/nope'\n$/);
  });
});
