import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectRoot = join(import.meta.dirname, '..', '/');

/**
 * Returns the stack of an error as a person reads it.
 *
 * It has the frames of this project only, with paths that a terminal can open.
 */
export function readableStack(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => !/^ +at .*(node:|node_modules\/|<anonymous>|\(native\))/.test(line))
    .map((line) => line.replace(/file:\/\/[^\s:)]+/, fileURLToPath).replace(projectRoot, ''))
    .join('\n');
}
