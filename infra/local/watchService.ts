import { fork } from 'node:child_process';
import { once } from 'node:events';
import { globSync, watch } from 'node:fs';
import { join, relative } from 'node:path';
import type { Report } from './jsonReport.ts';
import type { ServiceMessage } from './serve.ts';
import { shutdownSignal } from './shutdownSignal.ts';

const projectRoot = join(import.meta.dirname, '../..');

/** An editor writes a file in several steps, and a checkout changes many files. */
const quietMs = 100;

/**
 * Runs the service in a child process and restarts it after each change of a source file.
 *
 * Ends if the first start fails, or when either process should end. Returns the exit code. If a change
 * breaks the service, the next change restarts it.
 */
export async function watchService(args: string[], report: Report): Promise<number> {
  const stop = shutdownSignal();
  const stopped = once(stop, 'abort');
  let change = sourceChange();
  let service = startService([...args, '--no-watch']);
  stop.addEventListener('abort', () => service.hangUp());
  const port = await service.port;
  if (port === undefined) return service.exitCode;

  // The last value of an option counts: a restart adds no pets and keeps the port.
  const restartArgs = [...args, '--no-watch', '--seed', '0', '--port', String(port)];
  for (;;) {
    const changedFile = await Promise.race([change, stopped.then(() => undefined), end(service)]);
    if (changedFile === undefined) {
      const exitCode = await service.exitCode;
      return stop.aborted ? 0 : exitCode;
    }
    // A change from here on restarts the service again, even if this start has already read it.
    change = sourceChange();
    report.restarting(changedFile);
    service.hangUp();
    // The data folder is free only after the exit.
    await service.exitCode;
    if (stop.aborted) return 0;
    service = startService(restartArgs);
  }

  /** Resolves when a stopped service ends, or with the next change after a service failed. */
  async function end({ exitCode }: Service): Promise<string | undefined> {
    if ((await exitCode) === 0 || stop.aborted) return undefined;
    process.stderr.write('The service has ended. It restarts when a source file changes.\n');
    return change;
  }
}

type Service = ReturnType<typeof startService>;

function startService(args: string[]) {
  const child = fork(join(import.meta.dirname, 'start.ts'), args);
  const exitCode = once(child, 'exit').then(([code, signal]): number => {
    // A terminal sends Ctrl+C to both processes, in either order. A service that is still starting has
    // no signal handlers, so the signal kills it.
    return code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1);
  });
  const port = once(child, 'message').then(([message]) => (message as ServiceMessage).port);
  return {
    exitCode,
    /** Undefined if the service ended before it listened. */
    port: Promise.race([port, exitCode.then(() => undefined)]),
    /** Stops the service. A second signal would end it in the middle of its requests. */
    hangUp: () => child.connected && child.disconnect(),
  };
}

/**
 * Resolves with the file that changed last, relative to the project, once no more files change.
 *
 * Starts to watch at once. Throws if it cannot.
 */
function sourceChange(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let quiet: NodeJS.Timeout;
  // Not `recursive`: on Linux that watches inodes, and misses a file that an editor or git replaces.
  const watchers = sourceFolders().map((folder) =>
    watch(folder, (_event, name) => {
      if (!name?.endsWith('.ts')) return;
      clearTimeout(quiet);
      quiet = setTimeout(resolve, quietMs, relative(projectRoot, join(folder, name)));
    }).on('error', reject),
  );
  return promise.finally(() => {
    for (const watcher of watchers) watcher.close();
  });
}

function sourceFolders(): string[] {
  return globSync('{functions,infra,lib}/**', { cwd: projectRoot, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
