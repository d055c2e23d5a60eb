import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);

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

  /** Of the whole process, as the system counts it. */
  async memoryMb(): Promise<number> {
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(this.#child.pid)]);
    return Number(stdout) / 1_024;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
    await rm(this.#folder, { recursive: true });
  }
}
