import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Report } from './Report.ts';
import type { ServiceMessage } from './serve.ts';
import { sourceChange } from './sourceChange.ts';
import { stopRequest } from './stopRequest.ts';

/**
 * Runs the service in a process of its own, and anew after each change of a source file.
 *
 * Ends with the service where that never comes to serve, else when a stop is requested of either, and
 * returns the exit code. A service that breaks after a change waits for the next one.
 */
export async function watchService(args: string[], report: Report): Promise<number> {
  const stop = stopRequest();
  const stopped = once(stop, 'abort');
  let change = sourceChange();
  let service = startService([...args, '--no-watch']);
  stop.addEventListener('abort', () => service.hangUp());
  const port = await service.port;
  if (port === undefined) return exitCodeOf(service);

  // The last value of an option counts: the pets are added by now, and a port was found.
  const restartArgs = [...args, '--no-watch', '--seed', '0', '--port', String(port)];
  for (;;) {
    const changedFile = await Promise.race([change, stopped.then(() => undefined), end(service)]);
    if (changedFile === undefined) return exitCodeOf(service);
    // What changes from here on is a reason to start again, though this start may have it already.
    change = sourceChange();
    report.restarting(changedFile);
    service.hangUp();
    // Only then is the data folder free for the next one.
    await service.exitCode;
    if (stop.aborted) return 0;
    service = startService(restartArgs);
  }

  /** Ends for a service that was told to stop; for one that broke, with the next change. */
  async function end({ exitCode }: Service): Promise<string | undefined> {
    if ((await exitCode) === 0 || stop.aborted) return undefined;
    process.stderr.write('The service has ended. It starts again when a source file changes.\n');
    return change;
  }

  /** A service that is only starting knows no stop yet, and dies of the Ctrl+C that asks for it. */
  async function exitCodeOf({ exitCode }: Service): Promise<number> {
    const code = await exitCode;
    return stop.aborted ? 0 : code;
  }
}

type Service = ReturnType<typeof startService>;

function startService(args: string[]) {
  const child = fork(join(import.meta.dirname, 'start.ts'), args);
  const exitCode = once(child, 'exit').then(([code]: (number | null)[]) => code ?? 1);
  const port = once(child, 'message').then(([message]) => (message as ServiceMessage).port);
  return {
    exitCode,
    /** Absent where the service ended before it served. */
    port: Promise.race([port, exitCode.then(() => undefined)]),
    /**
     * Asks for a stop. Not by a signal: Ctrl+C sends one to this process and the service alike, and a
     * second signal would end the service before its requests are answered.
     */
    hangUp: () => child.connected && child.disconnect(),
  };
}
