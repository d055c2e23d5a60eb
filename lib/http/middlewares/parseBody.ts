// `@middy/http-json-body-parser` rejects malformed JSON, and member names that could change a prototype. Its
// value is not used: its reviver gets no source text, so the digits of a large integer would be lost.

import httpJsonBodyParser from '@middy/http-json-body-parser';
import { ApiError } from '../../errors.ts';
import { parseExactJson } from '../../int64.ts';
import { limits } from '../../schemas.ts';
import type { ApiEvent, ApiMiddleware } from '../event.ts';

const { maxBytes, maxNestingDepth } = limits.body;

/** JSON by its media type, with any parameters. */
const jsonMediaType = /^application\/([\w.+-]+\+)?json[ \t]*(;|$)/i;

/** Parses the JSON body without losing a digit: checked by the package, then parsed a second time. */
export function parseBody(): ApiMiddleware {
  // The parser's own check of the content type rejects white space that RFC 9110 allows.
  const { before: checkJson } = httpJsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async function parseBody(request) {
      const { event } = request;
      const text = decodeBody(event);
      if (text === undefined) return;
      Object.assign(event, { body: text, isBase64Encoded: false });
      try {
        await checkJson?.(request as never);
      } catch (error) {
        throw invalidJson(error as Error);
      }
      event.body = parseExactJson(text);
    },
  };
}

/**
 * Returns the text of the body, `undefined` without one.
 *
 * Throws for a body that is not declared as JSON, not plain UTF-8, too long or too deep.
 */
function decodeBody({ headers, body, isBase64Encoded }: ApiEvent): string | undefined {
  if (!jsonMediaType.test(String(headers['content-type']))) {
    throw new ApiError('unsupported_media_type', 'The Content-Type must be application/json.');
  }
  if (body === null) return undefined;
  if (typeof body !== 'string') {
    throw new ApiError(
      'bad_request',
      'The body of the event must be a text: its JSON as a string.',
    );
  }

  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > maxBytes) {
    throw new ApiError('payload_too_large', `The body must not exceed ${maxBytes} bytes.`);
  }
  const text = isBase64Encoded ? decodeUtf8(bytes) : body;
  if (text.startsWith('\uFEFF')) {
    throw new ApiError('bad_request', 'The body must not begin with a byte order mark.');
  }
  if (nestingDepth(text) > maxNestingDepth) {
    throw new ApiError(
      'bad_request',
      `The body must not be nested deeper than ${maxNestingDepth} levels: send a flat JSON object.`,
    );
  }
  return text;
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError('bad_request', 'The body must be JSON in UTF-8.', { cause });
  }
}

/** The parser's own error has another text, and the status 422. */
function invalidJson({ cause }: Error): ApiError {
  const { message } = cause as { message?: string };
  // Without a message of V8, the parser refused a dangerous member name.
  if (message === undefined) {
    return new ApiError(
      'bad_request',
      'The body must not have a member named __proto__, nor a constructor with a prototype.',
    );
  }
  const [place] = /line \d+ column \d+/.exec(message) ?? [];
  // The other messages of V8 are left out, because they quote the body.
  const endsEarly = message === 'Unexpected end of JSON input';
  const hint = place ? `: look at ${place}` : endsEarly ? ': it ends too early' : '';
  return new ApiError('bad_request', `The body is not valid JSON${hint}.`);
}

/** A whole string, whose brackets do not count, or a bracket. */
const stringOrBracket = /"(?:[^"\\]|\\.)*"?|[[\]{}]/gs;

/** Counts the levels of arrays and objects in JSON text, in one pass and without recursion. */
function nestingDepth(text: string): number {
  let depth = 0;
  let maxDepth = 0;
  for (const [token] of text.matchAll(stringOrBracket)) {
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    maxDepth = Math.max(maxDepth, depth);
  }
  return maxDepth;
}
