import { randomUUID } from 'node:crypto';
import { basePath, commonHeaders } from '../../lib/operations.ts';
import type { RequestHook } from '../../local/localGateway.ts';
import { splitTarget } from '../../local/proxyEvent.ts';
import { createDocsFiles, type DocsFile } from './docsFiles.ts';

/**
 * Serves the documentation page at `/` of the local gateway, and redirects `/docs` there.
 *
 * All other paths go to the functions.
 */
export function serveDocs(): RequestHook {
  let files: Promise<Map<string, DocsFile>>;

  return async ({ method = '', url = '', socket }) => {
    const { path } = splitTarget(url);
    if (path.startsWith(basePath) || !['GET', 'HEAD'].includes(method)) return undefined;
    const ownHeaders = { ...commonHeaders, 'X-Request-Id': randomUUID() };
    // Where many services have their page. The 401 of an unknown path would read like a wrong key. The location is
    // relative, because a proxy may strip a prefix of the path.
    if (path === '/docs') {
      return { statusCode: 302, headers: { ...ownHeaders, Location: './' }, body: '' };
    }
    files ??= createDocsFiles(`http://localhost:${socket.localPort}${basePath}`);
    const file = (await files).get(path);
    if (!file) return undefined;
    return {
      statusCode: 200,
      headers: {
        'Content-Type': file.type,
        ...ownHeaders,
        'Content-Security-Policy': contentSecurityPolicy,
      },
      body: file.body,
    };
  };
}

/** The page loads from its own origin and sends requests only to it, so the reader's key stays there. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'", // Scalar writes style elements and attributes
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
