import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { commonHeaders } from '../../lib/operations.ts';
import { splitTarget } from '../local/proxyEvent.ts';
import { createDocsPage, docsPaths } from './docsPage.ts';

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
  const nonce = randomUUID();
  let pages: { withKey: Promise<FastifyInstance>; withoutKey: Promise<FastifyInstance> };

  return async ({ raw, originalUrl }, reply) => {
    const { path } = splitTarget(originalUrl);
    if (!docsPaths.some((docsPath) => docsPath === path) || !isForDocs(raw, host)) return;
    pages ??= {
      withKey: createDocsPage({ isLocal: true, nonce, apiKey }),
      withoutKey: createDocsPage({ isLocal: true, nonce }),
    };
    const page = await (isFromThisMachine(raw) ? pages.withKey : pages.withoutKey);
    const { statusCode, headers, rawPayload } = await page.inject(path);
    return reply
      .code(statusCode)
      .type(String(headers['content-type']))
      .headers({
        ...commonHeaders,
        'X-Request-Id': randomUUID(),
        'Content-Security-Policy': contentSecurityPolicy(nonce),
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
      })
      .send(rawPayload);
  };
}

/** The page loads and sends requests from and to its own origin only, so the key stays there. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'", // Scalar writes style elements and attributes
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function isForDocs({ method = '', headers }: IncomingMessage, listensOn: string): boolean {
  const name = headers.host?.toLowerCase().replace(/:\d+$/, '') ?? '';
  const ownNames = ['localhost', '127.0.0.1', '[::1]'];
  ownNames.push(isIPv6(listensOn) ? `[${listensOn}]` : listensOn.toLowerCase());
  return ['GET', 'HEAD'].includes(method) && ownNames.includes(name);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Judges the connection, because any client can send `Host: localhost` or use a proxy here. */
function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  const isProxied = Object.keys(headers).some((name) =>
    /^(forwarded|via|x-forwarded-.+)$/.test(name),
  );
  const { remoteAddress = '', remoteFamily } = socket;
  return !isProxied && loopback.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4');
}
