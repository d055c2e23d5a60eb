import type { ApiEvent } from './ApiEvent.ts';
import { basePath } from './operations.ts';
import type { ListPetsQuery } from './schemas.ts';

/**
 * The base address by which the client reached the service, ending in `/v1`.
 *
 * Absolute at an API Gateway address, a custom domain and the local server; relative (`/v1`) where
 * the event names no domain. `event.headers` must be normalised.
 */
export function baseAddress({ domainName, publicPath, headers }: ApiEvent): string {
  if (!domainName || !publicPath) return basePath;
  const prefix = publicPath.slice(0, Math.max(0, `${publicPath}/`.indexOf(`${basePath}/`)));
  // API Gateway speaks nothing but TLS and sets this header itself; the local server says http.
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  return `${scheme}://${domainName}${prefix}${basePath}`;
}

/** The `Link` to the page after one, with the same filter and size. */
export function nextPageLink(
  address: string,
  { limit, status }: ListPetsQuery,
  cursor: string,
): string {
  // Digits, one of three words, and base64url: there is nothing to escape.
  const filter = status === undefined ? '' : `&status=${status}`;
  return link(`${address}/pets?limit=${limit}${filter}&cursor=${cursor}`, 'next');
}

/** A value of the `Link` header (RFC 8288). */
export function link(address: string, relation: 'next' | 'successor-version'): string {
  return `<${address}>; rel="${relation}"`;
}
