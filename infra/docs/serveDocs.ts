import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { basePath, commonHeaders } from '../../lib/operations.ts';
import type { RequestHook } from '../local/localGateway.ts';
import { createDocsFiles, type DocsFile } from './docsFiles.ts';

/**
 * Serves the documentation page at `/` of the local gateway, with the key filled in for a browser on
 * this machine.
 *
 * Requests that address this machine by a foreign host name go to the functions, as do all other
 * paths. A website whose name resolves to 127.0.0.1 could otherwise read the key from the page.
 */
export function serveDocs({ apiKey }: { apiKey: string }): RequestHook {
  const server = { url: basePath, description: 'This machine' };
  let pages: Record<'withKey' | 'withoutKey', Promise<Map<string, DocsFile>>>;

  return async (request) => {
    const [path = '', query] = request.url?.split('?') ?? [];
    if (path.startsWith(basePath) || !isForDocs(request)) return undefined;
    pages ??= {
      withKey: createDocsFiles({ server, apiKey }),
      withoutKey: createDocsFiles({ server }),
    };
    const file = (await (isDirect(request) ? pages.withKey : pages.withoutKey)).get(path);
    if (!file) return undefined;
    const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    return {
      statusCode: 200,
      headers: {
        'Content-Type': file.type,
        ...commonHeaders,
        ...(file.version !== undefined && file.version === query && cachedForAYear),
        ...(acceptsGzip && { 'Content-Encoding': 'gzip' }),
        Vary: 'Accept-Encoding',
        'X-Request-Id': randomUUID(),
        'Content-Security-Policy': contentSecurityPolicy,
        'Cross-Origin-Resource-Policy': 'same-origin',
        'Referrer-Policy': 'no-referrer',
      },
      body: acceptsGzip ? await compress(file) : file.body,
    };
  };
}

const cachedForAYear = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const compressed = new WeakMap<DocsFile, Promise<Buffer>>();

/** Compresses a file when it is first requested. */
function compress(file: DocsFile): Promise<Buffer> {
  const body = compressed.get(file) ?? promisify(gzip)(file.body);
  compressed.set(file, body);
  return body;
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

function isForDocs({ method = '', headers }: IncomingMessage): boolean {
  const name = headers.host?.toLowerCase().replace(/:\d+$/, '') ?? '';
  return ['GET', 'HEAD'].includes(method) && ['localhost', '127.0.0.1', '[::1]'].includes(name);
}

/**
 * Whether a request looks as a browser or curl sends it.
 *
 * A proxy on this machine may pass on requests of other machines. Most add a header, or send HTTP/1.0.
 */
function isDirect({ httpVersion, headers }: IncomingMessage): boolean {
  return (
    httpVersion === '1.1' && Object.keys(headers).every((name) => headersOfBrowsers.test(name))
  );
}

const headersOfBrowsers =
  /^(accept|accept-.+|cache-control|connection|cookie|dnt|host|if-.+|pragma|priority|referer|sec-.+|te|upgrade-insecure-requests|user-agent)$/;
