import { describe, expect, it } from 'vitest';
import { readSmokeOptions } from '../../infra/tools/smoke/smokeOptions.ts';
import { apiKey } from '../helpers/api.ts';
import { edit, serveLie } from '../helpers/lyingService.ts';
import { runScript, startService } from '../helpers/npmScript.ts';

describe('npm run smoke', () => {
  it('passes against npm start, and leaves three sold pets with its name', async () => {
    const { baseAddress, apiKey } = await startService(['--in-memory']);

    const { exitCode, stdout, stderr } = await runScript('smoke', ['--base-url', baseAddress], {
      PETSTORE_API_KEY: apiKey,
    });

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d+ passed, 0 failed, 0 not seen, in \d+\.\d s\.$/m);
    expect(stdout).not.toMatch(/✗|–/);
    expect(exitCode).toBe(0);
    const Authorization = `Bearer ${apiKey}`;
    const pets = await fetch(`${baseAddress}/pets`, { headers: { Authorization } });
    const sold = { name: expect.stringMatching(/^smoke-test \d{4}-/), status: 'sold' };
    expect(await pets.json()).toMatchObject([sold, sold, sold]);
  });

  it('says what was expected, what came and of which request, and not the key', async () => {
    const baseAddress = await serveLie({
      answered(answer, { httpMethod, headers }) {
        if (httpMethod !== 'PATCH') return;
        answer.statusCode = 404;
        edit(answer, () => ({ code: 'not_found', message: headers.Authorization, status: 404 }));
      },
    });

    const { exitCode, stdout } = await runScript('smoke', [
      ...['--base-url', baseAddress],
      ...['--api-key', apiKey],
    ]);

    const failure = stdout.split('✗')[1];
    expect(failure).toMatch(/^ +\d+ ms {2}answers 405 for PATCH \/pets, and Allow .+\n/);
    expect(failure).toContain('expected  the status 405\n');
    expect(failure).toMatch(
      /got {7}\{"code":"not_found","message":"Bearer \*{3}.","status":404\}\n/,
    );
    expect(failure).toMatch(/answer {4}404 to PATCH \/v1\/pets, X-Request-Id [\da-f-]{36}\n/);
    expect(stdout).toMatch(/✗ .+no answer repeats the API key/);
    expect(stdout).not.toContain(apiKey.slice(0, -1));
    expect(stdout).toMatch(/^\d+ passed, 2 failed, 0 not seen/m);
    expect(exitCode).toBe(1);
  });

  it('tries nothing else where nobody answers', async () => {
    const { exitCode, stdout } = await runScript('smoke', [
      ...['--base-url', 'http://127.0.0.1:1/v1'],
      ...['--api-key', apiKey],
    ]);

    expect(stdout).toContain('an answer to GET /v1/pets?limit=1 from http://127.0.0.1:1/v1');
    expect(stdout).toMatch(/^0 passed, 1 failed, \d+ not seen/m);
    expect(exitCode).toBe(1);
  });

  it('exits with 2 for options that are wrong', async () => {
    const { exitCode, stdout, stderr } = await runScript('smoke', ['--verbose']);

    expect(stderr).toContain("Unknown option '--verbose'");
    expect(stderr).toContain('npm run smoke -- --base-url <url>');
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
    expect(exitCode).toBe(2);
  });
});

describe('readSmokeOptions', () => {
  const url = ['--base-url', 'http://127.0.0.1:3000/v1'];

  it('takes address and key from the environment, and a slash too many', () => {
    const environment = {
      PETSTORE_BASE_URL: 'http://127.0.0.1:3000/v1/',
      PETSTORE_API_KEY: apiKey,
    };

    const options = readSmokeOptions([], environment);

    expect(options).toMatchObject({ baseAddress: 'http://127.0.0.1:3000/v1', apiKey });
  });

  it.each([
    ['no address', [], '--base-url, or PETSTORE_BASE_URL, takes an http or https address'],
    ['an address without a scheme', ['--base-url', 'localhost:3000/v1'], '--base-url'],
    ['an address without /v1', ['--base-url', 'http://127.0.0.1:3000'], 'that ends in /v1'],
    ['an address with a query', ['--base-url', 'http://127.0.0.1/v1?stage=x'], '--base-url'],
    ['no key', url, '--api-key, or PETSTORE_API_KEY, takes a whole key'],
    ['a key that was cut', [...url, '--api-key', apiKey.slice(0, -1)], 'takes a whole key'],
    ['a wait that is no number', [...url, '--api-key', apiKey, '--wait', 'long'], '--wait takes'],
  ])('refuses %s and says what to change', (_what, args, message) => {
    const read = () => readSmokeOptions(args, {});

    expect(read).toThrow(message);
    expect(read).not.toThrow('ps_test_');
  });
});
