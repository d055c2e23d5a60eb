import { vi } from 'vitest';
import type { Output } from './npmScript.ts';

type Command = (args: string[]) => Promise<number>;

/**
 * Runs the command behind an npm script in this process, in a tenth of the time that a new one takes.
 *
 * Only `runScript` shows that the script passes on arguments, output and exit code.
 */
export async function runCommandHere(
  command: Command,
  args: string[],
  environment: Record<string, string> = {},
): Promise<Output & { exitCode: number }> {
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
  const output = { stdout: '', stderr: '' };
  const captures = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      output[stream] += chunk;
      return true;
    }),
  );
  try {
    const exitCode = await command(args);
    return { exitCode, ...output };
  } finally {
    vi.unstubAllEnvs();
    for (const capture of captures) capture.mockRestore();
  }
}
