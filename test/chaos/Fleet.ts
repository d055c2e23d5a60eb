import { setTimeout as wait } from 'node:timers/promises';
import type { Instance } from './Instance.ts';

const askAgainAfterMs = 10;

/** The running processes of a service, which are killed and replaced one by one. */
export class Fleet {
  readonly #start: () => Promise<Instance>;
  readonly #failures: string[] = [];
  #instances: Instance[] = [];
  kills = 0;
  /** Requests that had no answer yet when their process was killed. */
  killedRequests = 0;

  constructor(start: () => Promise<Instance>) {
    this.#start = start;
  }

  async grow(count: number): Promise<void> {
    this.#instances.push(...(await Promise.all(Array.from({ length: count }, this.#start))));
  }

  /** Returns one that runs, once there is one. */
  async any(random: () => number): Promise<Instance> {
    for (;;) {
      const instance = this.#instances[Math.floor(random() * this.#instances.length)];
      if (instance) return instance;
      await wait(askAgainAfterMs);
    }
  }

  /** Kills one with SIGKILL in the middle of its requests, and starts another in its place. */
  async replaceOne(random: () => number): Promise<void> {
    const instance = await this.any(random);
    this.kills += 1;
    this.killedRequests += instance.underWay;
    await this.#kill(instance);
    await this.grow(1);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#instances.map((instance) => this.#kill(instance)));
  }

  /** What the processes wrote of answers of 500. */
  get failures(): string[] {
    return [...this.#failures, ...this.#instances.flatMap(({ failures }) => failures)];
  }

  async #kill(instance: Instance): Promise<void> {
    this.#instances = this.#instances.filter((other) => other !== instance);
    await instance.kill();
    this.#failures.push(...instance.failures);
  }
}
