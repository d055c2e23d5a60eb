import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Order, Timed } from './measuredRequests.ts';

/** A process with a store of so many pets. */
export class StoreProcess {
  readonly petCount: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(petCount: number, child: ChildProcess, folder: string) {
    this.petCount = petCount;
    this.#child = child;
    this.#folder = folder;
  }

  /** Builds the store unless it is there, and works on a copy: what is measured adds pets. */
  static async start(builtFolder: string, petCount: number): Promise<StoreProcess> {
    if (!existsSync(builtFolder)) await build(builtFolder, petCount);
    const folder = `${builtFolder}.run`;
    await rm(folder, { recursive: true, force: true });
    await cp(builtFolder, folder, { recursive: true });
    const child = startScript('serveStore.ts', folder, petCount);
    const store = new StoreProcess(petCount, child, folder);
    await store.#answer();
    return store;
  }

  async measure(order: Order): Promise<Timed> {
    this.#child.send(order);
    return (await this.#answer()) as Timed;
  }

  async stop(): Promise<void> {
    this.#child.disconnect();
    await once(this.#child, 'exit');
    await rm(this.#folder, { recursive: true });
  }

  async #answer(): Promise<unknown> {
    const ended = new AbortController();
    const died = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`The process with ${this.petCount} pets ended: see above.`);
    });
    died.catch(() => {});
    try {
      const [message] = await Promise.race([once(this.#child, 'message'), died]);
      return message;
    } finally {
      ended.abort();
    }
  }
}

async function build(folder: string, petCount: number): Promise<void> {
  process.stderr.write(`Making ${petCount} pets in ${folder}\n`);
  const [code] = await once(startScript('buildStore.ts', folder, petCount), 'exit');
  if (code !== 0) throw new Error(`The store of ${petCount} pets was not made: see above.`);
}

function startScript(script: string, folder: string, petCount: number): ChildProcess {
  const { AWS_ENDPOINT_URL_DYNAMODB: _, ...env } = process.env;
  return fork(join(import.meta.dirname, script), [folder, String(petCount)], { env });
}
