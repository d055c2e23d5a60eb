import type { RequestListener, Server } from 'node:http';

/**
 * Lets only requests with this access key reach dynalite, and no request of a web page.
 *
 * dynalite itself responds to every program, and lets pages of every origin read. It also ends the process
 * when a request breaks off.
 */
export function guardRequests(server: Server, accessKeyId: string): void {
  const [handle] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request').on('request', (request, response) => {
    const { origin, authorization = '' } = request.headers;
    if (origin !== undefined || !authorization.includes(`Credential=${accessKeyId}/`)) {
      const __type = 'com.amazon.coral.service#UnrecognizedClientException';
      response.writeHead(403).end(JSON.stringify({ __type, message: 'The access key is wrong.' }));
      return;
    }
    handle?.(request, response);
    request.removeAllListeners('error').on('error', () => {});
  });
}
