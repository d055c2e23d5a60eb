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
    process.off('SIGINT', stop).off('SIGTERM', stop).off('disconnect', stop);
    controller.abort();
  }
  /** Handles `npm start | head -1`: the reader of the output has left. */
  function stopAtEndOfPipe(error: NodeJS.ErrnoException): void {
    if (error.code !== 'EPIPE') throw error;
    stop();
  }
  // Not removed by `stop`: output during the shutdown fails in the same way.
  process.stdout.on('error', stopAtEndOfPipe);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // `--watch` disconnects to stop its service, and when it dies.
  process.on('disconnect', stop);
  if (process.send && !process.connected) stop();
  return controller.signal;
}
