import { createServer } from 'node:http';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { bundleFunction } from '../../../infra/bundle/bundleFunctions.ts';
import { listen } from '../../helpers/listen.ts';
import { temporaryFolder } from '../../helpers/npmScript.ts';
import { lambdaEnvironment, load, runBundle } from '../../helpers/runBundle.ts';

const outFolder = await temporaryFolder();

beforeAll(() => bundleFunction('createPet', outFolder));

/** Starts a database that counts connections, and has no items or never responds. */
async function startDatabase({ isSilent }: { isSilent: boolean }) {
  const seen = { connections: 0, actions: [] as string[] };
  const server = createServer((request, response) => {
    seen.actions.push(String(request.headers['x-amz-target']));
    if (!isSilent) response.end('{}');
  });
  server.on('connection', () => {
    seen.connections += 1;
  });
  return { seen, endpoint: await listen(server) };
}

const { timeout } = AbortSignal;

/** Loads the warm-up as a new instance does, with another time-out, because this machine may be busy. */
async function loadWarmUp(endpoint: string, timeoutMs: number) {
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(timeoutMs));
  vi.resetModules();
  const { warmUp } = await import('../../../lib/coldStart/warmUp.ts');
  return warmUp;
}

describe('warmUp', () => {
  it('opens a connection by a read', async () => {
    const { seen, endpoint } = await startDatabase({ isSilent: false });
    const warmUp = await loadWarmUp(endpoint, 20_000);

    await warmUp();

    expect(seen).toEqual({ connections: 1, actions: ['DynamoDB_20120810.GetItem'] });
  });

  it('ends after 300 ms if DynamoDB is silent', async () => {
    const { endpoint } = await startDatabase({ isSilent: true });
    const warmUp = await loadWarmUp(endpoint, 20);

    await warmUp();

    expect(vi.mocked(AbortSignal.timeout).mock.calls).toEqual([[300]]);
  });

  it('of a bundle runs in the init phase', async () => {
    const { seen, endpoint } = await startDatabase({ isSilent: false });
    // A busy machine may take longer than 300 ms.
    const withTime =
      'const { timeout } = AbortSignal; AbortSignal.timeout = () => timeout(20_000);';

    await runBundle(outFolder, withTime + load, {
      ...lambdaEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    });

    expect(seen).toEqual({ connections: 1, actions: ['DynamoDB_20120810.GetItem'] });
  });

  it('of a bundle prints nothing if DynamoDB is silent, and reads once', async () => {
    const { seen, endpoint } = await startDatabase({ isSilent: true });

    const run = await runBundle(outFolder, `${load} console.error(typeof handler);`, {
      ...lambdaEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
    });

    expect(run).toEqual({ exitCode: 0, stdout: '', stderr: 'function\n' });
    // The SDK would send the read again after 1.5 s.
    expect(seen.actions.length).toBeLessThanOrEqual(1);
  });
});
