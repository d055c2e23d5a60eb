import { ApiError } from '../ApiError.ts';
import type { ApiMiddleware } from './ApiMiddleware.ts';

const maxBodyBytes = 64 * 1024;

/** Hands the JSON parser a bare media type and at most 64 KiB of text, decoded as UTF-8. */
export function bodyDecoded(): ApiMiddleware {
  return {
    before: function decodeBody({ event, internal }) {
      const mediaType = event.headers['content-type']?.split(';', 1)[0]?.trim();
      if (mediaType !== undefined) event.headers['content-type'] = mediaType;

      const { body, isBase64Encoded } = event;
      if (typeof body !== 'string') return;
      const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
      if (bytes.length > maxBodyBytes) {
        throw new ApiError('payload_too_large', `The body must not exceed ${maxBodyBytes} bytes.`);
      }
      internal.bodyText = isBase64Encoded ? toText(bytes) : body;
      event.body = internal.bodyText;
      event.isBase64Encoded = false;
    },
  };
}

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ApiError('bad_request', 'The body must be JSON in UTF-8.', { cause });
  }
}
