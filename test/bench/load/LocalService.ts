import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** In MB, as Linux counts them. */
export type Memory = {
  /** Memory of the process: heap, engine, stacks. */
  own: number;
  /** Pages of mapped files (the store, Node.js), which the system drops when memory is short. */
  mapped: number;
};

/** The local service in a process of its own, with made-up pets on disk. */
export class LocalService {
  readonly baseAddress: string;
  readonly apiKey: string;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(
    { baseAddress, apiKey }: { baseAddress: string; apiKey: string },
    child: ChildProcess,
    folder: string,
  ) {
    this.baseAddress = baseAddress;
    this.apiKey = apiKey;
    this.#child = child;
    this.#folder = folder;
  }

  static async start(seededPets: number): Promise<LocalService> {
    const folder = await mkdtemp(join(tmpdir(), 'petstore-load-'));
    const args = ['--json', '--port', '0', '--data', folder, '--seed', String(seededPets)];
    const child = spawn(process.execPath, ['infra/local/start.ts', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // All lines are read: a full pipe would stop the service.
    const lines = createInterface({ input: child.stdout });
    return new Promise<LocalService>((resolve, reject) => {
      lines.on('line', (line) => {
        if (line.includes('"started"')) resolve(new LocalService(JSON.parse(line), child, folder));
      });
      child.once('exit', () => reject(new Error('The service did not start: see above.')));
    });
  }

  /** Returns `undefined` on systems other than Linux. */
  async memory(): Promise<Memory | undefined> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8').catch(() => '');
    const megabytes = (line: RegExp) => Number(line.exec(status)?.[1]) / 1_024;
    const own = megabytes(/^RssAnon:\s+(\d+) kB$/m);
    const mapped = megabytes(/^RssFile:\s+(\d+) kB$/m);
    return Number.isNaN(own) ? undefined : { own, mapped };
  }

  async countPets(): Promise<number> {
    let count = 0;
    let next: string | undefined = `${this.baseAddress}/pets?limit=100`;
    while (next !== undefined) {
      const headers = { Authorization: `Bearer ${this.apiKey}` };
      const response: Response = await fetch(next, { headers });
      count += ((await response.json()) as unknown[]).length;
      next = /<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1];
    }
    return count;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
    await rm(this.#folder, { recursive: true });
  }
}
