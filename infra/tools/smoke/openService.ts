import { setTimeout as wait } from 'node:timers/promises';
import { parseExactJson } from '../../../lib/exactJson.ts';
import type { Answer } from './Answer.ts';
import { CheckFailure } from './Check.ts';

export type ServiceOptions = {
  /** Ends in `/v1`. */
  baseAddress: string;
  apiKey: string;
  /** Whether links without a host are taken, as a gateway makes them that names no domain. */
  areRelativeLinksTaken: boolean;
};

type Sent = {
  headers?: Record<string, string>;
  /** A text is declared as JSON unless `headers` say otherwise; bytes are declared as nothing. */
  body?: string | Uint8Array<ArrayBuffer>;
  /** Of another caller; empty: no such header. */
  authorization?: string;
};

/** The service under test, as one client sees it. */
export type Service = ReturnType<typeof openService>;

/** The service gives up after 12 s, so its own answer comes first. */
const answerTimeoutMs = 15_000;

/** However slow each answer is, a deployment waits no longer than this for the verdict. */
const runTimeoutMs = 300_000;

/** A rate limit is no fault of the service: it is waited for, so often and so long. */
const maxAttempts = 5;
const maxRetryAfterSeconds = 10;

/** Speaks HTTP with a service and remembers its answers. */
export function openService({ baseAddress, apiKey, areRelativeLinksTaken }: ServiceOptions) {
  const answers: Answer[] = [];
  // Without its last character, in which the mistyped key of a check differs.
  const secret = apiKey.slice(0, -1);
  const mask = (text: string) => text.replaceAll(secret, '***');
  const runTimeout = AbortSignal.timeout(runTimeoutMs);

  /** Sends a request to a path below the base address; throws a `CheckFailure` if none answers. */
  async function send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await exchange(method, path, sent);
      if (answer.status !== 429 || attempt === maxAttempts) {
        answers.push(answer);
        return answer;
      }
      const retryAfterSeconds = Number(answer.headers.get('Retry-After') ?? 1);
      await wait(Math.min(retryAfterSeconds, maxRetryAfterSeconds) * 1000);
    }
  }

  async function exchange(method: string, path: string, sent: Sent): Promise<Answer> {
    const { headers, body, authorization = `Bearer ${apiKey}` } = sent;
    const request = `${method} /v1${path}`;
    try {
      const response = await fetch(`${baseAddress}${path}`, {
        method,
        headers: {
          'User-Agent': 'petstore-smoke',
          ...(authorization && { Authorization: authorization }),
          ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        // The service redirects nowhere, and the key must not go where somebody else points.
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(answerTimeoutMs), runTimeout]),
      });
      const sentText = await response.text();
      const text = mask(sentText);
      return {
        request,
        operation: operationOf(method, path),
        status: response.status,
        headers: response.headers,
        text,
        json: parsed(text),
        isKeyRepeated: `${sentText}${[...response.headers]}`.includes(secret),
      };
    } catch (error) {
      throw new CheckFailure({
        expected: `an answer to ${request} from ${baseAddress}`,
        got: runTimeout.aborted ? `none: the run took ${runTimeoutMs / 1000} s` : failure(error),
      });
    }
  }

  /** The path below the base address that a link names; none but these may be sent the key. */
  function pathOf(link: string, answer: Answer): string {
    const bases = areRelativeLinksTaken ? [baseAddress, '/v1'] : [baseAddress];
    const base = bases.find((each) => link.startsWith(`${each}/`));
    if (base === undefined) {
      throw new CheckFailure({ expected: `a link below ${baseAddress}/`, got: link, answer });
    }
    return link.slice(base.length);
  }

  return { baseAddress, apiKey, answers, send, pathOf, mask };
}

function operationOf(method: string, path: string): Answer['operation'] {
  if (method === 'GET' && /^\/pets\/[^/]+$/.test(path)) return 'getPet';
  if (!/^\/pets(\?|$)/.test(path)) return undefined;
  return ({ GET: 'listPets', POST: 'createPet' } as const)[method];
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** What fetch says of a broken connection stands in its error's cause. */
function failure(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  if (name === 'TimeoutError') return `none within ${answerTimeoutMs / 1000} s`;
  return `none: ${cause?.code ?? (cause?.message || message)}`;
}
