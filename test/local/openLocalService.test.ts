import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as listPets } from '../../functions/listPets.ts';
import { apiKeyDigest, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { localStage } from '../../local/localStage.ts';
import { openLocalService } from '../../local/openLocalService.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { petText } from '../helpers/samplePets.ts';

/** Opens a service, and closes it again. Returns its key. */
async function keyOf(folder: string): Promise<string> {
  const { apiKey, stop } = await openLocalService({ folder });
  await stop();
  return apiKey;
}

const apiKeys = { TableName: localStage.tableNames.apiKeys };

const keyFile = (folder: string) => join(folder, 'api-key');
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('openLocalService', () => {
  it('serves again and again, each time with an empty database and its own key', async () => {
    for (const _round of ['first', 'second', 'third']) {
      const { headers, stop } = await openLocalService();

      const created = await createPet({ headers, body: petText() });
      const listed = await listPets({ headers });
      await stop();

      expect(created.statusCode).toBe(201);
      expect(listed.body).toBe(`[${created.body}]`);
    }
  });

  it('refuses a second service until the first one is stopped, which goes on', async () => {
    const [first, second] = await Promise.allSettled([openLocalService(), openLocalService()]);

    expect(second).toMatchObject({
      status: 'rejected',
      reason: { message: expect.stringContaining('Call its stop() first') },
    });
    const { headers, stop } = first.status === 'fulfilled' ? first.value : expect.fail();
    onTestFinished(stop);
    expect((await listPets({ headers })).statusCode).toBe(200);
  });

  it('can be stopped twice, and the second stop leaves a later service as it is', async () => {
    const first = await openLocalService();
    await Promise.all([first.stop(), first.stop()]);
    const { stop } = await openLocalService();
    onTestFinished(stop);

    await first.stop();

    await expect(openLocalService()).rejects.toThrow('Call its stop() first');
  });

  it('closes the database if a later step fails, and leaves no key that nobody knows', async () => {
    const folder = await temporaryFolder();
    await mkdir(keyFile(folder));

    for (const _attempt of ['first', 'second']) {
      await expect(openLocalService({ folder })).rejects.toThrow('api-key');
    }
    await rm(keyFile(folder), { recursive: true });
    const { stop } = await openLocalService({ folder });
    onTestFinished(stop);
    expect((await dynamoDb().send(new ScanCommand(apiKeys))).Items).toHaveLength(1);
    expect((await readdir(folder)).sort()).toEqual(['api-key', 'dynamodb']);
  });

  it('gives the functions no origin and no release from the variables of the shell', async () => {
    vi.stubEnv('CORS_ORIGINS', 'https://shell.example');
    vi.stubEnv('RELEASE', 'shell');

    const { stop } = await openLocalService();

    onTestFinished(stop);
    // Functions read their environment once, so this is a new copy.
    vi.resetModules();
    const { config } = await import('../../lib/config.ts');
    expect(config()).toMatchObject({ corsOrigins: undefined, release: undefined });
  });
});

describe('the file of the API key', () => {
  it('can be read only by its user, even if other users could read it before', async () => {
    const folder = join(await temporaryFolder(), 'data');
    const apiKey = await keyOf(folder);
    await chmod(keyFile(folder), 0o644);

    expect(await keyOf(folder)).toBe(apiKey);

    expect([await modeOf(folder), await modeOf(keyFile(folder))]).toEqual([0o700, 0o600]);
    expect((await readdir(folder)).sort()).toEqual(['api-key', 'dynamodb']);
  });

  it('keeps its key if an editor adds a line end', async () => {
    const folder = await temporaryFolder();
    const apiKey = await keyOf(folder);
    await writeFile(keyFile(folder), `${apiKey}\r\n`);

    expect(await keyOf(folder)).toBe(apiKey);
  });

  it.each<[string, (apiKey: string) => string]>([
    ['cut off', (apiKey) => apiKey.slice(0, -1)],
    ['unknown to the database', () => createApiKey(localStage.name)],
    ['empty', () => ''],
  ])('is replaced if its key is %s', async (_what, damage) => {
    const folder = await temporaryFolder();
    const damaged = damage(await keyOf(folder));
    await writeFile(keyFile(folder), damaged);

    const { apiKey, headers, stop } = await openLocalService({ folder });
    onTestFinished(stop);

    expect(apiKey).not.toBe(damaged);
    expect(await readFile(keyFile(folder), 'utf8')).toBe(apiKey);
    expect(await modeOf(keyFile(folder))).toBe(0o600);
    expect((await listPets({ headers })).statusCode).toBe(200);
  });

  it('is replaced if its key was revoked', async () => {
    const folder = await temporaryFolder();
    const { apiKey: revoked, stop } = await openLocalService({ folder });
    const revocation = new UpdateCommand({
      ...apiKeys,
      Key: { digest: apiKeyDigest(revoked) },
      UpdateExpression: 'SET revokedAtEpochSeconds = :now',
      ExpressionAttributeValues: { ':now': 1n },
    });
    await dynamoDb().send(revocation);
    await stop();

    const apiKey = await keyOf(folder);

    expect(apiKey).not.toBe(revoked);
    expect(await readFile(keyFile(folder), 'utf8')).toBe(apiKey);
  });
});
