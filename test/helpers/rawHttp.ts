import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { assertDescribed } from './assertDescribed.ts';

/** Sends bytes to a server on loopback and returns everything that comes back. */
export async function sendBytes(server: Server, bytes: string): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(bytes, 'latin1');
  return text(socket);
}

/** Splits the responses on one connection. Each must match the OpenAPI document. */
export function responsesIn(received: string, method = 'GET', path = '/'): string[] {
  const responses = received.split(/(?=^HTTP\/1\.1 \d{3} )/m);
  for (const response of responses) {
    const [head = '', body = ''] = response.split('\r\n\r\n');
    const [statusLine = '', ...headerLines] = head.split('\r\n');
    const headers = headerLines.map((line) => {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      return [name.toLowerCase(), value];
    });
    assertDescribed(method, path, {
      status: Number(statusLine.split(' ')[1]),
      headers: Object.fromEntries(headers),
      text: body,
    });
  }
  return responses;
}
