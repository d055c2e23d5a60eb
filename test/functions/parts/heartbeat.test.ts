import { describe, expect, it, vi } from 'vitest';
import { captureLog } from '../../helpers/captureLog.ts';
import { interceptDatabase } from '../../helpers/database.ts';
import { startGateway } from '../../helpers/gateway.ts';
import { listen } from '../../helpers/listen.ts';

const service = await startGateway();

/** Runs the heartbeat as a new instance. */
async function heartbeat(baseAddress = service.baseAddress): Promise<void> {
  vi.stubEnv('BASE_ADDRESS', baseAddress);
  vi.resetModules();
  const { handler } = await import('../../../functions/parts/heartbeat.ts');
  await handler();
}

describe('heartbeat', () => {
  it('succeeds if the service refuses both requests, which reads one item and logs no damage', async () => {
    const actions = interceptDatabase();
    const log = captureLog();

    await heartbeat();

    expect(actions).toEqual(['GetItem']);
    expect(log.text()).toBe('');
  });

  it('follows no redirect, and sends each request on a connection of its own', async () => {
    const sent: unknown[] = [];
    const origin = await listen(({ url, headers }, response) => {
      sent.push([url, headers.connection]);
      response.writeHead(307, { Location: '/elsewhere' }).end();
    });

    await expect(heartbeat(`${origin}/v1`)).rejects.toThrow('The request without a key failed');

    expect(sent).toEqual([['/v1/pets', 'close']]);
  });

  it('fails in time if the service never responds', async () => {
    const { timeout } = AbortSignal;
    const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));
    const origin = await listen(() => {});

    await expect(heartbeat(`${origin}/v1`)).rejects.toThrow('aborted due to timeout');

    // The function itself times out after 25 s.
    expect(asked.mock.calls).toEqual([[20_000]]);
  });
});
