import { ApiError } from '../ApiError.ts';
import { nestingDepth } from '../nestingDepth.ts';
import type { ApiMiddleware } from './ApiMiddleware.ts';

const maxBodyBytes = 64 * 1024;

/** A pet is flat; what is ignored may be deep, but not so deep that a parser's stack overflows. */
const maxNestingDepth = 64;

/** JSON by its media type (RFC 6838's characters), whatever its parameters. */
const jsonMediaType = /^application\/([\w!#$&^.+-]+\+)?json[ \t]*(;|$)/i;

/** Hands the JSON parser a text that it can judge: declared as JSON, in UTF-8, neither long nor deep. */
export function bodyDecoded(): ApiMiddleware {
  return {
    before: function decodeBody({ event, internal }) {
      if (!jsonMediaType.test(event.headers['content-type'] ?? '')) {
        throw new ApiError('unsupported_media_type', 'The Content-Type must be application/json.');
      }
      if (typeof event.body !== 'string') return;

      const bytes = Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
      if (bytes.length > maxBodyBytes) {
        throw new ApiError('payload_too_large', `The body must not exceed ${maxBodyBytes} bytes.`);
      }
      const text = event.isBase64Encoded ? decodeUtf8(bytes) : event.body;
      if (nestingDepth(text) > maxNestingDepth) {
        throw new ApiError(
          'bad_request',
          `The body must not be nested deeper than ${maxNestingDepth} levels: send a flat JSON object.`,
        );
      }
      internal.bodyText = text;
      event.body = text;
      event.isBase64Encoded = false;
    },
  };
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError('bad_request', 'The body must be JSON in UTF-8.', { cause });
  }
}
