import { existsSync } from 'node:fs';
import { operationEntries } from '../../lib/operations.ts';

/**
 * A global setup of vitest: says once which handler is missing.
 *
 * Without it, each test file that loads the functions fails at an import, which does not name the row.
 */
export function setup(): void {
  for (const [name] of operationEntries) {
    const file = `functions/${name}.ts`;
    if (!existsSync(file)) throw new Error(`${file} is missing: add the handler of ${name}.`);
  }
}
