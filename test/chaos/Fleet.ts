import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { startLocalService } from '../helpers/startLocalService.ts';

const retryAfterMs = 10;

/** The running processes of a service. They are killed and replaced one by one. */
export class Fleet {
  readonly #start: () => Promise<Instance>;
  readonly #failures: string[] = [];
  #instances: Instance[] = [];
  kills = 0;
  /** Requests without a response when their process was killed. */
  killedRequests = 0;

  constructor(start: () => Promise<Instance>) {
    this.#start = start;
  }

  async grow(count: number): Promise<void> {
    this.#instances.push(...(await Promise.all(Array.from({ length: count }, this.#start))));
  }

  /** Returns any running instance, as soon as there is one. */
  async any(random: () => number): Promise<Instance> {
    for (;;) {
      const instance = this.#instances[Math.floor(random() * this.#instances.length)];
      if (instance) return instance;
      await wait(retryAfterMs);
    }
  }

  /** Kills an instance in the middle of its requests, and starts another one. */
  async replaceOne(random: () => number): Promise<void> {
    const instance = await this.any(random);
    this.kills += 1;
    this.killedRequests += instance.openRequests;
    await this.#kill(instance);
    await this.grow(1);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#instances.map((instance) => this.#kill(instance)));
  }

  /** The log lines of the processes about responses of 500. */
  get failures(): string[] {
    return [...this.#failures, ...this.#instances.flatMap(({ failures }) => failures)];
  }

  async #kill(instance: Instance): Promise<void> {
    this.#instances = this.#instances.filter((other) => other !== instance);
    await instance.kill();
    this.#failures.push(...instance.failures);
  }
}

/** A running process of the service. */
export class Instance {
  /** `http://127.0.0.1:…/v1`. */
  baseAddress = '';
  /** True from just before the SIGKILL. */
  isKilled = false;
  openRequests = 0;
  /** The log lines about responses of 500. */
  readonly failures: string[] = [];
  /** The beginning of the output. */
  output = '';
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        if (this.output.length < 10_000) this.output += chunk;
        const lines = String(chunk).split('\n');
        this.failures.push(...lines.filter((line) => line.includes('"status":500')));
      });
    }
  }

  async kill(): Promise<void> {
    this.isKilled = true;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}

/** Starts the deployed functions in a process of their own. */
export async function startFunctions(environment: NodeJS.ProcessEnv): Promise<Instance> {
  const child = fork('test/chaos/service.ts', {
    env: { ...process.env, LOG_LEVEL: 'ERROR', ...environment },
    execArgv: [],
    silent: true,
  });
  const instance = new Instance(child);
  const [origin] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`A process of the functions did not start: ${instance.output}`);
    }),
  ]);
  instance.baseAddress = `${origin}/v1`;
  return instance;
}

/** Starts `npm start` with its data on disk. Returns its API key, too. */
export async function startNpmStart(
  folder: string,
): Promise<{ instance: Instance; apiKey: string }> {
  const { child, baseAddress, apiKey } = await startLocalService(['--data', folder], {
    stdio: 'pipe',
    env: { ...process.env, LOG_LEVEL: 'ERROR' },
  });
  const instance = new Instance(child);
  instance.baseAddress = baseAddress.replace('localhost', '127.0.0.1');
  return { instance, apiKey };
}
