import { vi } from 'vitest';
import type { Output } from './npmScript.ts';

type Command = (args: string[]) => Promise<number>;

/**
 * Runs what a script calls, in this process: a tenth of the work of a process of its own.
 *
 * For what a command does. That its script passes arguments, output and exit code on is for
 * `runScript`.
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
