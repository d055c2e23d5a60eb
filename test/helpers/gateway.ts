import { afterAll } from 'vitest';
import {
  createLocalGateway,
  type GatewayOptions,
  loadFunctions,
} from '../../local/localGateway.ts';
import { apiKey } from './api.ts';
import { listen } from './listen.ts';

export const functions = await loadFunctions();

/** Serves the functions on a free port until the end of a test file, with a valid key. */
export async function startGateway(served = functions, options: GatewayOptions = {}) {
  const origin = await listen(createLocalGateway(served, options), afterAll);
  return { origin, baseAddress: `${origin}/v1`, apiKey };
}
