import { assertDescribed } from '../helpers/assertDescribed.ts';
import type { Instance } from './Fleet.ts';
import type { Ledger } from './Ledger.ts';

export type ClientRequest = {
  method?: 'GET' | 'POST';
  /** Below the base address. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** The correct status. While faults are injected, 503 with Retry-After is correct too. */
  expectedStatus: number;
};

export type ClientResponse = { status: number; text: string; link: string | null };

/** The integration time-out of the gateway. A function that takes longer hangs. */
const timeoutMs = 12_000;

/** Sends requests and compares each response with the OpenAPI document and the expected status. */
export class Client {
  readonly #apiKey: string;
  readonly #ledger: Ledger;
  /** True after the last fault. From then on, 503 is a violation. */
  isFaultFree = false;

  constructor(apiKey: string, ledger: Ledger) {
    this.#apiKey = apiKey;
    this.#ledger = ledger;
  }

  /** Returns `undefined` if the response tells nothing: the instance died, or sent 503. */
  async send(instance: Instance, request: ClientRequest): Promise<ClientResponse | undefined> {
    const { method = 'GET', path, headers, body, expectedStatus } = request;
    const { responses, violations } = this.#ledger;
    instance.openRequests += 1;
    try {
      const response = await fetch(`${instance.baseAddress}${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.#apiKey}`, ...headers },
        signal: AbortSignal.timeout(timeoutMs),
        ...(body !== undefined && { body }),
      });
      const { status } = response;
      const text = await response.text();
      increment(responses, status);
      assertDescribed(method, new URL(response.url).pathname, {
        status,
        headers: Object.fromEntries(response.headers),
        text,
      });
      // The OpenAPI document requires Retry-After on a 503.
      if (status === 503 && !this.isFaultFree) return undefined;
      if (status !== expectedStatus) violations.push(`${method} ${path} → ${status} ${text}`);
      return { status, text, link: response.headers.get('Link') };
    } catch (error) {
      increment(responses, 'none');
      if (!instance.isKilled) violations.push(`${method} ${path} failed: ${messageOf(error)}`);
      return undefined;
    } finally {
      instance.openRequests -= 1;
    }
  }
}

export function increment(counts: Record<string, number>, name: string | number): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
