import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.ts';

export type ReceivedRequest = { path: string; headers: IncomingHttpHeaders; body: string };

type Reaction = (response: ServerResponse, request: ReceivedRequest) => unknown;

/** Starts a server that handles each request with the next reaction, and records the requests. */
export async function startScriptedServer(
  ...script: Reaction[]
): Promise<{ baseAddress: string; requests: ReceivedRequest[] }> {
  const requests: ReceivedRequest[] = [];
  const origin = await listen(async (incoming, response) => {
    const { url: path = '', headers } = incoming;
    const request = { path, headers, body: await text(incoming) };
    const react = script[requests.push(request) - 1] ?? respond(599, 'The script is over.');
    await react(response, request);
  });
  return { baseAddress: `${origin}/v1`, requests };
}

/** Responds with JSON, or with a string as it is. */
export function respond(
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
