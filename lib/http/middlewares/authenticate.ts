import { lookUpApiKey } from '../../apiKeys/lookUpApiKey.ts';
import { ApiError } from '../../errors.ts';
import { challenge } from '../../operations.ts';
import type { ApiEvent, ApiMiddleware } from '../event.ts';

/**
 * Accepts requests whose only bearer token is a valid API key, and rejects all other requests with 401. Rejects
 * a read-only key with 403 unless the request reads.
 *
 * Whether a request reads follows from the operation's method, or without an operation from its own method.
 */
export function authenticate(operationMethod?: string): ApiMiddleware {
  return {
    before: async function authenticate({ event }) {
      const token = bearerToken(event);
      if (!token) {
        throw unauthorized(
          'Send an API key in the header Authorization: Bearer <API_KEY>.',
          challenge,
        );
      }
      const apiKey = await lookUpApiKey(token, event);
      if (!apiKey) {
        throw unauthorized(
          'The API key is not valid. It is mistyped, expired, revoked, or from another deployment.',
          `${challenge}, error="invalid_token"`,
        );
      }
      event.apiKeyId = apiKey.id;
      if (apiKey.isReadOnly && !isReadMethod(operationMethod ?? event.method)) {
        throw new ApiError('forbidden', 'This API key may only read.');
      }
    },
  };
}

function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns everything after the scheme. The scheme is case-insensitive (RFC 9110), the key is not. */
function bearerToken({ headers }: ApiEvent): string | undefined {
  // HTTP joins repeated headers with commas, and no key contains one.
  return /^bearer +(\S.*)$/i.exec([headers.authorization].flat().join(', '))?.[1];
}

function unauthorized(message: string, authenticate: string): ApiError {
  return new ApiError('unauthorized', message, { headers: { 'WWW-Authenticate': authenticate } });
}
