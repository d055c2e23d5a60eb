import type { RequestListener, Server } from 'node:http';

/**
 * Returns a function that turns new requests away and waits for those that a server works on.
 *
 * Its own `close` waits for connections only, and a client that left has none.
 */
export function trackRequests(server: Server): () => Promise<unknown> {
  const underWay = new Set<Promise<void>>();
  const [work] = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    // Only from its end: one that is cut short gets no answer.
    request.once('end', () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      underWay.add(promise);
      const { end } = response;
      // No event tells of an answer that nobody is there to get.
      response.end = (...args: unknown[]) => {
        underWay.delete(promise);
        resolve();
        return Reflect.apply(end, response, args);
      };
    });
    work?.(request, response);
  });

  return () => {
    server.removeAllListeners('request').on('request', (request) => request.destroy());
    return Promise.all(underWay);
  };
}
