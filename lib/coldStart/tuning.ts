// A setting that makes the SDK faster. docs/performance.md lists its gain.

import type { Readable } from 'node:stream';

/** Reads a stream to its end. The SDK's own collector loads web streams and copies each chunk. */
export function collectStream(stream: Readable): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => resolve(Buffer.concat(chunks)));
    stream.once('error', reject);
  });
}
