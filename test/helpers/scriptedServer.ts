import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type ReceivedRequest = { path: string; headers: IncomingHttpHeaders; body: string };

type Reaction = (response: ServerResponse, request: ReceivedRequest) => unknown;

/** Starts a server that meets each request with the next reaction, and remembers the requests. */
export async function startScriptedServer(
  ...script: Reaction[]
): Promise<{ baseAddress: string; requests: ReceivedRequest[] }> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const { url: path = '', headers } = incoming;
    const request = { path, headers, body: await text(incoming) };
    const react = script[requests.push(request) - 1] ?? answer(599, 'The script is over.');
    await react(response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { baseAddress: `http://127.0.0.1:${port}/v1`, requests };
}

/** Answers with JSON, or with a text as it is. */
export function answer(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Reaction {
  return (response) => {
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}
