import type { Readable } from 'node:stream';

/**
 * Reads a stream to its end.
 *
 * The SDK's own collector asks first whether the stream is one of the web's, and the question alone
 * loads Node.js's web streams; then it copies each part.
 */
export function collectStream(stream: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.once('end', () => resolve(Buffer.concat(parts)));
    stream.once('error', reject);
  });
}
