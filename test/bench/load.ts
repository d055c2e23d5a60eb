import { parseArgs } from 'node:util';
import { installAutocannon, type LoadResult } from './load/installAutocannon.ts';
import { LocalService } from './load/LocalService.ts';
import { loadReport, type MemorySample } from './load/loadReport.ts';
import { mix } from './load/mix.ts';
import { writeSection } from './writeSection.ts';

const usage = `Puts what npm start starts under load, and watches its memory.

  npm run bench:load -- [options]

  --clients <number>  at once, each one request after the other   (50)
  --seconds <number>  how long                                    (60)
  --warm-up <number>  seconds of the same load before             (300)
  --seed <number>     made-up pets to begin with                  (10000)
  --write             put the result into docs/load.md

Ends with exit code 1 where a request failed or a pet that was acknowledged is missing.
`;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    'warm-up': { type: 'string', default: '300' },
    seed: { type: 'string', default: '10000' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else await measureLoad();

async function measureLoad(): Promise<void> {
  const autocannon = installAutocannon();
  const clients = Number(values.clients);
  const seconds = Number(values.seconds);
  const seededPets = Number(values.seed);
  const service = await LocalService.start(seededPets);
  const load = (duration: number) =>
    autocannon({
      url: new URL(service.baseAddress).origin,
      connections: clients,
      duration,
      headers: { Authorization: `Bearer ${service.apiKey}` },
      requests: mix(seededPets),
    });
  // The process grows into its size over some 200,000 requests.
  const warmUp = await load(Number(values['warm-up']));
  const memory: MemorySample[] = [];
  const startedAtMs = performance.now();
  const sampling = setInterval(async () => {
    const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
    const sample = await service.memory();
    if (sample) memory.push({ elapsedSeconds, ...sample });
  }, 1_000);
  const result = await load(seconds);
  clearInterval(sampling);
  const storedPets = await countPets(service);
  await service.stop();

  const report = loadReport({ clients, seededPets, result, memory });
  process.stdout.write(`${report}\n`);
  assertAllWell([warmUp, result], storedPets - seededPets, clients);
  if (values.write) writeSection('docs/load.md', 'load', report);
}

async function countPets({ baseAddress, apiKey }: LocalService): Promise<number> {
  let count = 0;
  let next: string | undefined = `${baseAddress}/pets?limit=100`;
  while (next !== undefined) {
    const response: Response = await fetch(next, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    count += ((await response.json()) as unknown[]).length;
    next = /<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return count;
}

/** The last request of each client is cut off, so its pet may be stored and not acknowledged. */
function assertAllWell(results: readonly LoadResult[], createdPets: number, clients: number): void {
  for (const { errors, timeouts, non2xx, statusCodeStats } of results) {
    if (errors + timeouts + non2xx === 0) continue;
    const failures = JSON.stringify({ errors, timeouts, non2xx, statusCodeStats });
    throw new Error(`Requests failed: ${failures}`);
  }
  const acknowledged = results
    .map(({ statusCodeStats }) => statusCodeStats['201']?.count ?? 0)
    .reduce((sum, count) => sum + count);
  if (createdPets < acknowledged || createdPets > acknowledged + results.length * clients) {
    throw new Error(`${acknowledged} pets were acknowledged, and ${createdPets} stored.`);
  }
}
