import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { pick } from './seededRandom.ts';

/** A running process of the service. */
export type Instance = { child: ChildProcess; baseAddress: string; isKilled: boolean };

/** The processes of the service. They are killed and replaced one by one. */
export class Fleet {
  readonly #environment: NodeJS.ProcessEnv;
  #instances: Instance[] = [];
  kills = 0;

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  async grow(): Promise<void> {
    const child = fork('test/chaos/service.ts', {
      env: { ...process.env, ...this.#environment },
      execArgv: [],
    });
    const exited = once(child, 'exit').then(() => {
      throw new Error('A process of the service did not start.');
    });
    const [origin] = await Promise.race([once(child, 'message'), exited]);
    this.#instances.push({ child, baseAddress: `${origin}/v1`, isKilled: false });
  }

  /** Returns any running instance, as soon as there is one. */
  async any(random: () => number): Promise<Instance> {
    while (this.#instances.length === 0) await wait(10);
    return pick(random, this.#instances);
  }

  /** Kills an instance in the middle of its requests, and starts another one. */
  async replaceOne(random: () => number): Promise<void> {
    await this.#kill(await this.any(random));
    this.kills += 1;
    await this.grow();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#instances.map((instance) => this.#kill(instance)));
  }

  async #kill(instance: Instance): Promise<void> {
    this.#instances = this.#instances.filter((other) => other !== instance);
    instance.isKilled = true;
    const exited = once(instance.child, 'exit');
    instance.child.kill('SIGKILL');
    await exited;
  }
}
