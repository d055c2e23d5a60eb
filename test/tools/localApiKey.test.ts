import { chmod, lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { createTables } from '../../local/createTables.ts';
import { localStage } from '../../local/localStage.ts';
import { revokeApiKey } from '../../tools/apiKeyRegistry.ts';
import { localApiKey } from '../../tools/localApiKey.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const registry = { stage: localStage.name, tableName: localStage.tableNames.apiKeys };

beforeAll(() => createTables(localStage.tableNames));

describe('localApiKey', () => {
  it('keeps its key in a file that only its user can read, even if other users could read it before', async () => {
    const folder = join(await temporaryFolder(), 'data');
    const apiKey = await localApiKey(folder);
    await chmod(join(folder, 'api-key'), 0o644);

    expect(await localApiKey(folder)).toBe(apiKey);

    expect((await lstat(folder)).mode & 0o777).toBe(0o700);
    expect((await lstat(join(folder, 'api-key'))).mode & 0o777).toBe(0o600);
  });

  it('replaces a key that was revoked', async () => {
    const folder = await temporaryFolder();
    const revoked = await localApiKey(folder);
    await revokeApiKey(registry, apiKeyId(apiKeyDigest(revoked)));

    const apiKey = await localApiKey(folder);

    expect(apiKey).not.toBe(revoked);
    expect(await readFile(join(folder, 'api-key'), 'utf8')).toBe(apiKey);
  });

  it('issues a new key instead of one from a folder that other users may write to, if it need not be kept', async () => {
    const folder = await temporaryFolder();
    const known = createApiKey('local');
    await writeFile(join(folder, 'api-key'), known);
    await chmod(folder, 0o777);

    expect(await localApiKey(folder, { isKept: false })).not.toBe(known);
  });
});
