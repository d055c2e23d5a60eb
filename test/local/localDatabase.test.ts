import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openLocalDatabase, startEmbeddedDatabase } from '../../local/localDatabase.ts';
import { startProcess, temporaryFolder } from '../helpers/npmScript.ts';

describe('openLocalDatabase', () => {
  it('uses no engine of a killed npm start, whose port another program may have', async () => {
    const folder = await temporaryFolder();
    const left = { endpoint: 'http://127.0.0.1:1', accessKeyId: 'left' };
    await writeFile(join(folder, 'engine.json'), JSON.stringify(left));
    const { stop } = await startEmbeddedDatabase(folder);
    onTestFinished(stop);

    const opened = openLocalDatabase(folder, { isShared: true });

    await expect(opened).rejects.toThrow('Another command has just opened the data');
  });

  it.each(['{"endpoint":"htt', '{}', 'null'])(
    'says what to do if the file that names the engine is damaged: %s',
    async (text) => {
      const folder = await temporaryFolder();
      const { stop } = await startEmbeddedDatabase(folder);
      onTestFinished(stop);
      await writeFile(join(folder, 'engine.json'), text);

      const opened = openLocalDatabase(folder, { isShared: true });

      await expect(opened).rejects.toThrow(`${folder}. Run this again, or restart npm start.`);
    },
  );

  it('lets Node.js report an error that is not of the database', async () => {
    const script = `const { startEmbeddedDatabase } = await import('./local/localDatabase.ts');
await startEmbeddedDatabase(${JSON.stringify(await temporaryFolder())});
setTimeout(() => { throw new Error('of another') });`;
    const running = startProcess(process.execPath, ['--eval', script]);

    expect(await running.exited).toBe(1);
    expect(running.stderr).toContain('Error: of another');
    expect(running.stderr).not.toContain('localDatabase.ts');
  });

  it.each([
    ['AWS_DEFAULTS_MODE', 'fast'],
    ['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS', 'true'],
    ['AWS_PROFILE', 'work'],
    ['AWS_USE_DUALSTACK_ENDPOINT', 'true'],
    ['AWS_USE_FIPS_ENDPOINT', 'true'],
  ])('sends all calls to its engine, even if the shell has %s=%s', async (variable, value) => {
    vi.stubEnv(variable, value);
    const { stop } = await openLocalDatabase(undefined);
    onTestFinished(stop);

    const { TableNames } = await new DynamoDBClient().send(new ListTablesCommand());

    expect(TableNames).toEqual([]);
  });

  it('sends all calls to its engine, even if ~/.aws names another endpoint', async () => {
    const home = await temporaryFolder();
    await mkdir(join(home, '.aws'));
    await writeFile(join(home, '.aws/config'), '[default]\nuse_fips_endpoint = true');
    await writeFile(join(home, '.aws/credentials'), '[default]\ndefaults_mode = fast');
    vi.stubEnv('HOME', home);
    const { stop } = await openLocalDatabase(undefined);
    onTestFinished(stop);

    const { TableNames } = await new DynamoDBClient().send(new ListTablesCommand());

    expect(TableNames).toEqual([]);
  });
});
