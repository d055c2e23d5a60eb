import { chmod, lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiKeyDigest, apiKeyId } from '../../lib/apiKeys/apiKey.ts';
import { revokeApiKey } from '../../local/apiKeyRegistry.ts';
import { createTables } from '../../local/createTables.ts';
import { localApiKey } from '../../local/localApiKey.ts';
import { localStage } from '../../local/localStage.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';

const registry = { stage: localStage.name, tableName: localStage.tableNames.apiKeys };

beforeAll(() => createTables(localStage.tableNames));

describe('localApiKey', () => {
  it('keeps its key in a file that only its user can read, even if other users could read it before', async () => {
    const folder = join(await temporaryFolder(), 'data');
    const apiKey = await localApiKey(registry, folder);
    await chmod(join(folder, 'api-key'), 0o644);

    expect(await localApiKey(registry, folder)).toBe(apiKey);

    expect((await lstat(folder)).mode & 0o777).toBe(0o700);
    expect((await lstat(join(folder, 'api-key'))).mode & 0o777).toBe(0o600);
  });

  it('replaces a key that was revoked', async () => {
    const folder = await temporaryFolder();
    const revoked = await localApiKey(registry, folder);
    await revokeApiKey(registry, apiKeyId(apiKeyDigest(revoked)));

    const apiKey = await localApiKey(registry, folder);

    expect(apiKey).not.toBe(revoked);
    expect(await readFile(join(folder, 'api-key'), 'utf8')).toBe(apiKey);
  });
});
