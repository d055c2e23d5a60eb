import { vi } from 'vitest';
import type { Handler } from '../../lib/http/handler.ts';
import type { OperationName } from '../../lib/operations.ts';

/** Loads new copies of a function's modules, like a Lambda instance that starts with these settings. */
export async function loadHandler(
  name: OperationName | 'fallback',
  environment: Record<string, string>,
): Promise<Handler> {
  vi.resetModules();
  for (const [variable, value] of Object.entries(environment)) vi.stubEnv(variable, value);
  const { handler } = await import(`../../functions/${name}.ts`);
  return handler;
}
