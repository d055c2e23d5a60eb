const orphanCheckMs = 250;

/**
 * Returns a signal that aborts when this process should end.
 *
 * After that the process has no signal handlers, so a second SIGINT ends it at once.
 */
export function shutdownSignal(): AbortSignal {
  const controller = new AbortController();
  // npm passes a SIGTERM to the shell that runs the script. The shell dies without passing it on.
  const { ppid, env } = process;
  const isOrphan = () => env.npm_lifecycle_event !== undefined && process.ppid !== ppid;
  const orphanCheck = setInterval(() => isOrphan() && stop(), orphanCheckMs).unref();

  function stop(): void {
    clearInterval(orphanCheck);
    process.off('SIGINT', stop).off('SIGTERM', stop);
    controller.abort();
  }
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // The reader of the output has left, as with `npm start | head -1`.
  process.stdout.on('error', stop);
  return controller.signal;
}
