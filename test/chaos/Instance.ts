import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A running process of the service. */
export type Instance = {
  /** `http://127.0.0.1:…/v1`. */
  baseAddress: string;
  /** True from just before the SIGKILL. */
  isKilled: boolean;
  /** The requests that were sent to it and are not answered. */
  underWay: number;
  /** The end of what it wrote about answers of 500. */
  failures: string[];
  /** The beginning of all that it wrote. */
  output: string;
  kill(): Promise<void>;
};

/** Starts the deployed functions in a process of their own. */
export async function startFunctions(environment: NodeJS.ProcessEnv): Promise<Instance> {
  const child = fork('test/chaos/service.ts', {
    env: { ...process.env, LOG_LEVEL: 'ERROR', ...environment },
    execArgv: [],
    silent: true,
  });
  const instance = instanceOf(child);
  const [origin] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error(`A process of the functions did not start: ${instance.output}`);
    }),
  ]);
  instance.baseAddress = `${origin}/v1`;
  return instance;
}

/** Starts `npm start` with its data on disk, and the key that it prints. */
export async function startNpmStart(
  folder: string,
): Promise<{ instance: Instance; apiKey: string }> {
  const args = ['infra/local/start.ts', '--port', '0', '--data', folder, '--json'];
  const child = spawn(process.execPath, args, { env: { ...process.env, LOG_LEVEL: 'ERROR' } });
  const instance = instanceOf(child);
  // By events: a loop that ends would close the stream, and `npm start` ends with its output.
  const { promise, resolve, reject } = Promise.withResolvers<{
    baseAddress: string;
    apiKey: string;
  }>();
  child.stdout.on('data', () => {
    const started = instance.output
      .split('\n')
      .slice(0, -1)
      .find((line) => line.includes('"event":"started"'));
    if (started) resolve(JSON.parse(started));
  });
  child.on('exit', () => reject(new Error(`npm start did not start: ${instance.output}`)));
  const { baseAddress, apiKey } = await promise;
  instance.baseAddress = baseAddress.replace('localhost', '127.0.0.1');
  return { instance, apiKey };
}

function instanceOf(child: ChildProcess): Instance {
  const instance: Instance = {
    baseAddress: '',
    isKilled: false,
    underWay: 0,
    failures: [],
    output: '',
    async kill() {
      instance.isKilled = true;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      if (instance.output.length < 10_000) instance.output += chunk;
      const lines = String(chunk).split('\n');
      instance.failures.push(...lines.filter((line) => line.includes('"status":500')));
    });
  }
  return instance;
}
