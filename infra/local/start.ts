import { explainFailure } from './explainFailure.ts';
import { jsonReport } from './jsonReport.ts';
import { readStartOptions, startUsage } from './startOptions.ts';
import { textReport } from './textReport.ts';

try {
  process.exit(await start(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`);
  // Not `process.exitCode`: an engine that failed to start may hold the process open.
  process.exit(1);
}

/** Returns the exit code. */
async function start(args: string[]): Promise<number> {
  const options = readStartOptions(args);
  if (options.isHelpWanted) {
    process.stdout.write(`${startUsage}\n`);
    return 0;
  }
  const report = options.isJsonWanted ? jsonReport() : textReport();
  if (options.isWatchWanted) {
    const { watchService } = await import('./watchService.ts');
    return watchService(args, report);
  }
  // Imported only here: it brings the database along, and whoever watches the service needs none.
  const { serve } = await import('./serve.ts');
  await serve(options, report);
  return 0;
}
