import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { logger } from '../../lib/logging.ts';
import { basePath, commonHeaders } from '../../lib/operations.ts';
import { docsFiles } from '../docs/docsFiles.ts';
import { contentSecurityPolicy } from '../docs/docsPage.ts';
import { splitTarget } from './proxyEvent.ts';

type ServeDocsOptions = {
  /** Filled in for who sits at this machine; others are asked for theirs. */
  apiKey: string;
  /** The address that the server listens on. */
  host: string;
};

/**
 * Puts the documentation page before a gateway, at `/`.
 *
 * The gateway sees none of the page's requests, so they stand in no log; and it sees all others,
 * those that address the machine by a foreign name among them. That is how a website would ask which
 * has its own name resolve to 127.0.0.1, to read the key out of the page.
 */
export function serveDocs(gateway: Server, options: ServeDocsOptions): void {
  const [passOn] = gateway.listeners('request') as RequestListener[];
  gateway.removeAllListeners('request');
  gateway.on('request', (request, response) => {
    const respond = isForDocs(request, options.host) && findFile(request, options);
    if (respond) void respond(response);
    else passOn?.(request, response);
  });
}

function isForDocs({ method = '', headers }: IncomingMessage, listensOn: string): boolean {
  const name = headers.host?.toLowerCase().replace(/:\d+$/, '') ?? '';
  const ownNames = ['localhost', '127.0.0.1', '[::1]'];
  ownNames.push(isIPv6(listensOn) ? `[${listensOn}]` : listensOn.toLowerCase());
  return ['GET', 'HEAD'].includes(method) && ownNames.includes(name);
}

function findFile(request: IncomingMessage, { apiKey }: ServeDocsOptions) {
  const { path } = splitTarget(request.url ?? '');
  const servers = [
    { url: `http://${request.headers.host}${basePath}`, description: 'This machine' },
  ];
  const files = docsFiles({
    servers,
    ...(isFromThisMachine(request) && { apiKey }),
  });
  const file = files.get(path === '/' ? 'index.html' : path.slice(1));
  if (file === undefined) return undefined;

  const headers = {
    'Content-Type': file.contentType,
    ...commonHeaders,
    'Content-Security-Policy': `${contentSecurityPolicy(servers)}; frame-ancestors 'none'`,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
  return async (response: ServerResponse) => {
    response.setHeader('X-Request-Id', randomUUID());
    try {
      const body = await file.read();
      response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
    } catch (error) {
      logger.error('A file of the documentation page could not be read', { cause: error });
      response.writeHead(500, commonHeaders).end();
    }
  };
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Judged by the connection: anybody in the network can write `Host: localhost`, or use a proxy here. */
function isFromThisMachine({ headers, socket }: IncomingMessage): boolean {
  if (Object.keys(headers).some((name) => /^(forwarded|via|x-forwarded-.+)$/.test(name)))
    return false;
  const { remoteAddress = '', remoteFamily } = socket;
  return loopback.check(remoteAddress, remoteFamily === 'IPv6' ? 'ipv6' : 'ipv4');
}
