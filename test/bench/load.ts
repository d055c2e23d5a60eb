import { readFile } from 'node:fs/promises';
import { defineCommand, runCommand, wholeNumber } from '../../infra/tools/command.ts';
import { printReport, whole } from './report.ts';
import { newPet, type Service, startService } from './startService.ts';
import { median, quantile } from './stats.ts';

export const load = defineCommand(
  'bench:load',
  'Puts the local service under load, and watches its memory.',
)
  .option(
    '--clients <number>',
    'clients at the same time, one request at a time each',
    wholeNumber(1, 10_000),
    50,
  )
  .option('--seconds <number>', 'duration', wholeNumber(1, 99_999), 60)
  .option('--warm-up <number>', 'seconds of the same load before', wholeNumber(1, 99_999), 300)
  .option('--seed <number>', 'sample pets at the beginning', wholeNumber(1, 1_000_000), 10_000)
  .addHelpText(
    'after',
    '\nThe exit code is 1 if a request fails or an acknowledged pet is missing.',
  )
  .action(measureLoad);

type Options = ReturnType<typeof load.opts>;

async function measureLoad(options: Options): Promise<void> {
  const { clients, seconds, warmUp, seed } = options;
  const service = await startService(seed);
  // The memory of the process settles after about 200,000 requests.
  const before = await sendFor(warmUp, service, options);
  const memoryMb: number[] = [];
  const sampling = setInterval(async () => memoryMb.push(await readMemoryMb(service)), 1_000);
  const { latenciesMs, created } = await sendFor(seconds, service, options);
  clearInterval(sampling);
  const stored = await countPets(service);
  await service.stop();

  const half = Math.floor(memoryMb.length / 2);
  const latency = (share: number) => `${whole.format(quantile(latenciesMs, share))} ms`;
  const memory = (part: readonly number[]) => `${whole.format(median(part))} MB`;
  printReport(
    `${clients} clients for ${seconds} s, after ${warmUp} s of warm-up, on ${whole.format(seed)} pets`,
    ['', 'Result'],
    [
      ['Requests a second', whole.format(latenciesMs.length / seconds)],
      ['Pets created', whole.format(created)],
      ['Latency, median', latency(0.5)],
      ['Latency, 99th percentile', latency(0.99)],
      ['Latency, maximum', latency(1)],
      ['Memory, median of the first half', memory(memoryMb.slice(0, half))],
      ['Memory, median of the second half', memory(memoryMb.slice(half))],
    ],
  );
  const acknowledged = seed + before.created + created;
  if (stored !== acknowledged) {
    throw new Error(`${acknowledged} pets were acknowledged, and ${stored} are stored.`);
  }
}

/** Lets all clients send requests for some seconds. A request that fails ends the run. */
async function sendFor(seconds: number, service: Service, { clients, seed }: Options) {
  const latenciesMs: number[] = [];
  let created = 0;
  async function send(path: string, init?: RequestInit): Promise<Response> {
    const startedAtMs = performance.now();
    const response = await service.send(path, init);
    const text = await response.text();
    latenciesMs.push(performance.now() - startedAtMs);
    if (!response.ok) throw new Error(`${response.status}: ${text}`);
    if (response.status === 201) created += 1;
    return response;
  }

  const endsAtMs = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < endsAtMs) {
        await send('/pets', newPet());
        await send('/pets', newPet(crypto.randomUUID()));
        await send(`/pets/${1 + Math.floor(Math.random() * seed)}`);
        const page = await send('/pets?status=sold');
        await send(nextPage(page) ?? '/pets?limit=100');
      }
    }),
  );
  return { latenciesMs, created };
}

function nextPage({ headers }: Response): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
}

async function countPets({ send }: Service): Promise<number> {
  let count = 0;
  let page: string | undefined = '/pets?limit=100';
  while (page) {
    const response: Response = await send(page);
    count += ((await response.json()) as unknown[]).length;
    page = nextPage(response);
  }
  return count;
}

/** Returns the memory that the process itself holds, in MB. The rest is mapped files. */
async function readMemoryMb({ child }: Service): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

if (import.meta.main) await runCommand(load);
