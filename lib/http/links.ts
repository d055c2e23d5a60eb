import { basePath } from '../operations.ts';
import type { ApiEvent } from './event.ts';

/** Returns the base address that the client used, or `/v1` if the event names no domain. */
export function baseAddress({ domainName, publicPath, headers }: ApiEvent): string {
  if (!domainName || !publicPath) return basePath;
  const prefix = publicPath.slice(0, Math.max(0, `${publicPath}/`.indexOf(`${basePath}/`)));
  // API Gateway speaks only TLS and sets this header itself, as the local server does.
  const scheme = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https';
  return `${scheme}://${domainName}${prefix}${basePath}`;
}

/** Returns the `Link` header for the next page of a list, with the other parameters unchanged. */
export function nextPageLink(
  listAddress: string,
  query: Record<string, string | number | undefined>,
  nextCursor: string,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor: nextCursor })) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return link(`${listAddress}?${parameters}`, 'next');
}

/** Formats a `Link` header (RFC 8288). */
export function link(address: string, relation: 'next' | 'successor-version'): string {
  return `<${address}>; rel="${relation}"`;
}
