import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { onRequestAsyncHookHandler } from 'fastify';
import { basePath, commonHeaders } from '../../lib/operations.ts';
import { splitTarget } from '../local/proxyEvent.ts';
import { createDocsFiles, type DocsFile, isDocsPath } from './docsFiles.ts';

type ServeDocsOptions = {
  /** Filled in for browsers on this machine only. */
  apiKey: string;
  /** The address that the gateway listens on. */
  host: string;
};

/**
 * Serves the documentation page at `/` of the local gateway.
 *
 * Requests that address this machine by a foreign host name go to the functions, as do all other
 * paths. A website whose name resolves to 127.0.0.1 could otherwise read the key from the page.
 */
export function serveDocs({ apiKey, host }: ServeDocsOptions): onRequestAsyncHookHandler {
  const server = { url: basePath, description: 'This machine' };
  let pages: Record<'withKey' | 'withoutKey', Promise<Map<string, DocsFile>>>;

  return async ({ raw, originalUrl }, reply) => {
    const { path } = splitTarget(originalUrl);
    if (!isDocsPath(path) || !isForDocs(raw, host)) return;
    pages ??= {
      withKey: createDocsFiles({ server, apiKey }),
      withoutKey: createDocsFiles({ server }),
    };
    const file = (await (isFromThisMachine(raw) ? pages.withKey : pages.withoutKey)).get(path);
    if (!file) return;
    const { type, body, gzipped } = file;
    const isGzipped = gzipped && /\bgzip\b/.test(String(raw.headers['accept-encoding']));
    return reply
      .type(type)
      .headers({
        ...commonHeaders,
        'X-Request-Id': randomUUID(),
        'Content-Security-Policy': contentSecurityPolicy,
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
        ...(gzipped && {
          'Cache-Control': 'public, max-age=31536000, immutable',
          Vary: 'Accept-Encoding',
        }),
        ...(isGzipped && { 'Content-Encoding': 'gzip' }),
      })
      .send(isGzipped ? gzipped : body);
  };
}

/** The page loads and sends requests from and to its own origin only, so the key stays there. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'", // Scalar writes style elements and attributes
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function isForDocs({ method = '', headers }: IncomingMessage, listensOn: string): boolean {
  const name = headers.host?.toLowerCase().replace(/:\d+$/, '') ?? '';
  const ownNames = ['localhost', '127.0.0.1', '[::1]'];
  ownNames.push(isIPv6(listensOn) ? `[${listensOn}]` : listensOn.toLowerCase());
  return ['GET', 'HEAD'].includes(method) && ownNames.includes(name);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Checks the connection, because any client can send `Host: localhost` or use a proxy here. */
function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  const isProxied = Object.keys(headers).some((name) =>
    /^(forwarded|via|x-forwarded-.+)$/.test(name),
  );
  const { remoteAddress = '', remoteFamily } = socket;
  return !isProxied && loopback.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4');
}
