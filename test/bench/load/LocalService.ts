import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** In MB, as Linux counts them. */
export type Memory = {
  /** What the process made: heap, engine, stacks. */
  own: number;
  /** Pages of mapped files, the store and Node.js itself, which the system drops when it is short. */
  mapped: number;
};

/** What `npm start` starts, with pets on disk and in a process of its own. */
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
    // Read to the end: a log that nobody reads would fill the pipe and stop the service.
    const lines = createInterface({ input: child.stdout });
    return new Promise<LocalService>((resolve, reject) => {
      lines.on('line', (line) => {
        if (!line.includes('"started"')) return;
        resolve(new LocalService(JSON.parse(line), child, folder));
      });
      child.once('exit', () => reject(new Error('The service did not start: see above.')));
    });
  }

  /** Of the whole process; `undefined` on a system other than Linux. */
  async memory(): Promise<Memory | undefined> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8').catch(() => '');
    const megabytes = (line: RegExp) => Number(line.exec(status)?.[1]) / 1_024;
    const own = megabytes(/^RssAnon:\s+(\d+) kB$/m);
    const mapped = megabytes(/^RssFile:\s+(\d+) kB$/m);
    return Number.isNaN(own) ? undefined : { own, mapped };
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
    await rm(this.#folder, { recursive: true });
  }
}
