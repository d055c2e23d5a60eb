import { parseArgs } from 'node:util';
import { installAutocannon, type LoadResult, requestMix } from './load/autocannon.ts';
import { LocalService, type Memory } from './load/LocalService.ts';
import { machine } from './machine.ts';
import { markdownTable } from './markdownTable.ts';
import { median } from './median.ts';
import { slope } from './slope.ts';
import { writeSection } from './writeSection.ts';

const usage = `Puts the local service under load and watches its memory.

  npm run bench:load -- [options]

  --clients <number>  clients at the same time, one request at a time each   (50)
  --seconds <number>  duration                                               (60)
  --warm-up <number>  seconds of the same load before                        (300)
  --seed <number>     made-up pets at the beginning                          (10000)
  --write             update docs/load.md

Exits with code 1 if a request fails or an acknowledged pet is missing.
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
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

if (values.help) process.stdout.write(usage);
else await measureLoad();

type MemorySample = Memory & { elapsedSeconds: number };

async function measureLoad(): Promise<void> {
  const autocannon = installAutocannon();
  const clients = Number(values.clients);
  const seededPets = Number(values.seed);
  const service = await LocalService.start(seededPets);
  const load = (seconds: number) =>
    autocannon({
      url: new URL(service.baseAddress).origin,
      connections: clients,
      duration: seconds,
      headers: { Authorization: `Bearer ${service.apiKey}` },
      requests: requestMix(seededPets),
    });
  // The memory of the process settles after about 200,000 requests.
  const warmUp = await load(Number(values['warm-up']));
  const memory: MemorySample[] = [];
  const startedAtMs = performance.now();
  const sampling = setInterval(async () => {
    const elapsedSeconds = (performance.now() - startedAtMs) / 1_000;
    const sample = await service.memory();
    if (sample) memory.push({ elapsedSeconds, ...sample });
  }, 1_000);
  const result = await load(Number(values.seconds));
  clearInterval(sampling);
  const createdPets = (await service.countPets()) - seededPets;
  await service.stop();

  const report = `${machine()}.\n\n${loadTable(result, memory)}`;
  process.stdout.write(`${report}\n`);
  assertSuccess([warmUp, result], createdPets, clients);
  if (values.write) writeSection('docs/load.md', 'load', report);
}

/** The last request of each client is cut off, so its pet may be stored without a response. */
function assertSuccess(results: readonly LoadResult[], createdPets: number, clients: number): void {
  for (const { errors, timeouts, non2xx, statusCodeStats } of results) {
    if (errors + timeouts + non2xx === 0) continue;
    const failures = JSON.stringify({ errors, timeouts, non2xx, statusCodeStats });
    throw new Error(`Requests failed: ${failures}`);
  }
  const acknowledged = results
    .map(({ statusCodeStats }) => statusCodeStats['201']?.count ?? 0)
    .reduce((sum, count) => sum + count);
  if (createdPets < acknowledged || createdPets > acknowledged + results.length * clients) {
    throw new Error(`${acknowledged} pets were acknowledged, and ${createdPets} are stored.`);
  }
}

function loadTable(result: LoadResult, memory: readonly MemorySample[]): string {
  const { errors, timeouts, non2xx, requests, latency, duration, statusCodeStats } = result;
  const rows = [
    ['Clients at once', whole.format(Number(values.clients))],
    ['Seconds', whole.format(duration)],
    ['Pets at the beginning', whole.format(Number(values.seed))],
    ['Requests', whole.format(requests.total)],
    ['Requests a second', whole.format(requests.average)],
    ['Pets created', whole.format(statusCodeStats['201']?.count ?? 0)],
    ['Errors, time-outs, responses other than 2xx', `${errors}, ${timeouts}, ${non2xx}`],
    ['Latency, median', `${latency.p50} ms`],
    ['Latency, 99th percentile', `${latency.p99} ms`],
    ['Latency, maximum', `${latency.max} ms`],
    ...memoryRows('Memory of its own', memory, 'own'),
    ...memoryRows('Mapped files', memory, 'mapped'),
  ];
  return markdownTable(['', ''], rows);
}

function memoryRows(title: string, samples: readonly MemorySample[], part: keyof Memory) {
  if (samples.length === 0) return [[title, 'measured on Linux only']];
  const half = Math.floor(samples.length / 2);
  const medianMb = (some: typeof samples) => whole.format(median(some.map((each) => each[part])));
  const perMinute = slope(samples.map((each) => [each.elapsedSeconds / 60, each[part]]));
  return [
    [`${title}, median of the first half`, `${medianMb(samples.slice(0, half))} MB`],
    [`${title}, median of the second half`, `${medianMb(samples.slice(half))} MB`],
    [`${title}, slope`, `${perMinute.toFixed(1)} MB a minute`],
  ];
}
