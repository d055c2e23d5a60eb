import { describe, expect, it } from 'vitest';
import { request, startService } from '../helpers/npmScript.ts';

describe('jsonReport', () => {
  it('prints one JSON object per line with --json', async () => {
    const service = await startService(['--in-memory', '--json', '--seed', '100'], {
      FORCE_COLOR: '1',
    });
    await request(service, '/pets?limit=1');
    await request(service, '/pets/%0A%22forged');
    service.process.kill('SIGTERM');
    await service.exited;

    const events = service.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const time = expect.stringMatching(/^[\d-]+T[\d:.]+Z$/);
    const durationMs = expect.any(Number);
    const get = { event: 'request', time, method: 'GET', durationMs };
    expect(events).toEqual([
      ...[0, 25, 50, 75].map((writtenPets) => ({
        ...{ event: 'seeding', time, writtenPets, totalPets: 100, durationMs },
      })),
      { event: 'seeded', time, writtenPets: 100, totalPets: 100, durationMs },
      {
        event: 'started',
        time,
        baseAddress: service.baseAddress,
        docsAddress: service.baseAddress.replace(/v1$/, ''),
        apiKey: service.apiKey,
        database: 'embedded, in memory',
      },
      { ...get, path: '/v1/pets', status: 200 },
      { ...get, path: '/v1/pets/%0A%22forged', status: 404 },
      { event: 'stopped', time },
    ]);
  });
});
