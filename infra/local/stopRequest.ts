/** How often it is asked whether npm is still there. */
const orphanCheckMs = 250;

/**
 * Returns a signal that aborts when somebody wants this process to end.
 *
 * From then on a signal ends the process at once, as no handler is left for it.
 */
export function stopRequest(): AbortSignal {
  const controller = new AbortController();
  // npm passes a signal on to the shell that runs the script, and the shell dies without a word.
  const { ppid, env } = process;
  const isOrphan = () => env.npm_lifecycle_event !== undefined && process.ppid !== ppid;
  const orphanCheck = setInterval(() => isOrphan() && stop(), orphanCheckMs).unref();

  function stop(): void {
    clearInterval(orphanCheck);
    process.off('SIGINT', stop).off('SIGTERM', stop).off('disconnect', stop);
    controller.abort();
  }
  /** `npm start | head -1`: whoever read this process's output has had enough of it. */
  function stopAtEndOfPipe(error: NodeJS.ErrnoException): void {
    if (error.code !== 'EPIPE') throw error;
    stop();
  }
  // For good, not until the first: what is still said on the way out meets the same error.
  process.stdout.on('error', stopAtEndOfPipe);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // `--watch` ends its service by hanging up, and hangs up when it dies itself.
  process.on('disconnect', stop);
  if (process.send && !process.connected) stop();
  return controller.signal;
}
