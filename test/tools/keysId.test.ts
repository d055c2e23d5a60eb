import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../lib/apiKeys/apiKey.ts';
import { keys } from '../../tools/keys.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const key = createApiKey('v1-staging');

/** Runs the command with a text as standard input. */
function idOf(text: string) {
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([text]) as typeof process.stdin);
  return runCommandHere(keys, ['id']);
}

describe('npm run keys -- id', () => {
  it('prints the id of a key that it reads from its standard input', async () => {
    const { stdout } = await idOf(` ${key}\r\nnot read`);

    expect(stdout).toBe(`${apiKeyId(apiKeyDigest(key))}\n`);
  });

  it.each([
    ['nothing', ''],
    ['a part of a key', key.slice(0, -1)],
    ['a mistyped key', key.replace(/\w$/, (last) => (last === 'a' ? 'b' : 'a'))],
  ])('exits with 1 and prints no id for %s', async (_what, text) => {
    const refused = await idOf(text);

    expect(refused).toEqual({ exitCode: 1, stdout: '', stderr: 'This is no whole API key.\n' });
  });
});
