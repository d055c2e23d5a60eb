import { assertDescribed } from '../helpers/assertDescribed.ts';
import type { Instance } from './Instance.ts';
import type { Ledger } from './Ledger.ts';

export type Sent = {
  method?: 'GET' | 'POST';
  /** Below the base address. */
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** The statuses that are right; a 503 with Retry-After is too, as long as something fails. */
  expected: number[];
};

export type Received = { status: number; text: string; link: string | null };

/** The time-out of the gateway's integration: by then a function has answered, or hangs. */
const hungAfterMs = 12_000;

/** Sends requests and holds every answer against what may be answered at all. */
export class Client {
  readonly #apiKey: string;
  readonly #ledger: Ledger;
  /** True once nothing fails any more: from then on a 503 has no reason. */
  isCalm = false;

  constructor(apiKey: string, ledger: Ledger) {
    this.#apiKey = apiKey;
    this.#ledger = ledger;
  }

  /** Returns `undefined` where there is no answer to go by: the instance died, or said 503. */
  async send(instance: Instance, sent: Sent): Promise<Received | undefined> {
    const { method = 'GET', path, headers, body, expected } = sent;
    const { answers, violations } = this.#ledger;
    instance.underWay += 1;
    try {
      const response = await fetch(`${instance.baseAddress}${path}`, {
        method,
        headers: { Authorization: `Bearer ${this.#apiKey}`, ...headers },
        signal: AbortSignal.timeout(hungAfterMs),
        ...(body !== undefined && { body }),
      });
      const { status } = response;
      const text = await response.text();
      count(answers, status);
      assertDescribed(method, new URL(response.url).pathname, {
        status,
        headers: Object.fromEntries(response.headers),
        text,
      });
      // That it carries Retry-After the description says.
      if (status === 503 && !this.isCalm) return undefined;
      if (!expected.includes(status)) violations.push(`${method} ${path} → ${status} ${text}`);
      return { status, text, link: response.headers.get('Link') };
    } catch (error) {
      count(answers, 'none');
      if (!instance.isKilled) violations.push(`${method} ${path} failed: ${describe(error)}`);
      return undefined;
    } finally {
      instance.underWay -= 1;
    }
  }
}

function count(counts: Record<string, number>, name: string | number): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
