import '../helpers/database.ts';
import { execFile } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { listApiKeys } from '../../infra/tools/apiKeyRegistry.ts';
import { probe } from '../../infra/tools/probe.ts';
import { config } from '../../lib/config.ts';
import { describeStacksResponse } from '../helpers/describeStacksResponse.ts';
import { listen } from '../helpers/listen.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const registry = { stage: 'v1-staging', tableName: config.apiKeysTableName };

type Script = {
  /** The status of each response of the service. */
  status?: number;
  isDeployed?: boolean;
};

/**
 * Fakes CloudFormation and the service. `command` runs until the service has had ten requests, then
 * exits with 7.
 */
async function fakeStage({ status = 200, isDeployed = true }: Script = {}) {
  const requests: { line: string; key: string; body: string }[] = [];
  let endCommand = () => {};
  const origin: string = await listen(async (request, response) => {
    const body = await text(request);
    if (request.url === '/command') {
      endCommand = () => response.end();
      if (!isDeployed) endCommand();
    } else if (request.url?.startsWith('/v1/')) {
      const key = request.headers.authorization ?? '';
      requests.push({ line: `${request.method} ${request.url}`, key, body });
      response.writeHead(status).end('[]');
      if (requests.length >= 10) endCommand();
    } else if (isDeployed) {
      const outputs = { ApiKeysTableName: config.apiKeysTableName };
      response.end(describeStacksResponse('BaseAddress', `${origin}/v1`, outputs));
    } else {
      const message = 'Stack with id PetStore-v1-staging does not exist';
      response
        .writeHead(400)
        .end(
          `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`,
        );
    }
  });
  const code = `await fetch('${origin}/command'); console.log('deployed'); process.exitCode = 7;`;
  return {
    requests,
    environment: { AWS_ENDPOINT_URL_CLOUDFORMATION: origin },
    args: [
      ...['--stage', 'v1-staging', '--every-ms', '5', '--'],
      ...[process.execPath, '--input-type=module', '-e', code],
    ],
  };
}

describe('npm run probe', () => {
  it('calls every function until the command ends, and exits as the command does', async () => {
    const { environment, args, requests } = await fakeStage();

    const { code, stdout } = await promisify(execFile)(
      process.execPath,
      ['infra/tools/probe.ts', ...args],
      { env: { ...process.env, ...environment } },
    ).catch((error) => error);

    expect(code).toBe(7);
    expect(stdout).toContain('deployed\n');
    expect(stdout).toMatch(/^0 of \d+ requests failed \(0\.0 %\)\.$/m);
    // The only POST has no pet in it.
    expect(requests.slice(0, 4).map(({ line, body }) => [line, body])).toEqual([
      ['GET /v1/pets?limit=1', ''],
      ['GET /v1/pets/1', ''],
      ['POST /v1/pets', '{}'],
      ['GET /v1/pets/1/unknown', ''],
    ]);
  });

  it('uses a key of its own, which it revokes and never prints', async () => {
    const { environment, args, requests } = await fakeStage();

    const { stdout, stderr } = await runCommandHere(probe, args, environment);

    const keys = new Set(requests.map(({ key }) => key));
    expect([...keys]).toEqual([expect.stringMatching(/^Bearer ps_v1_staging_/)]);
    expect(stdout + stderr).not.toContain('ps_v1_staging_');
    const [record] = await listApiKeys(registry);
    expect(record).toMatchObject({
      name: 'probe of a deployment',
      expiresAtEpochSeconds: expect.any(BigInt),
      revokedAtEpochSeconds: expect.any(BigInt),
    });
  });

  it('counts failures without failing itself: the alarms decide', async () => {
    const { environment, args } = await fakeStage({ status: 500 });

    const { exitCode, stdout } = await runCommandHere(probe, args, environment);

    expect(exitCode).toBe(7);
    expect(stdout).toMatch(/^([1-9]\d*) of \1 requests failed \(100\.0 %\)\.$/m);
  });

  it('only runs the command if there is no stack yet', async () => {
    const { environment, args, requests } = await fakeStage({ isDeployed: false });

    const { exitCode, stdout } = await runCommandHere(probe, args, environment);

    expect(exitCode).toBe(7);
    expect(stdout).toContain('PetStore-v1-staging does not exist yet');
    expect(requests).toEqual([]);
  });
});
