import { hash } from 'node:crypto';
import { ApiError } from '../errors.ts';

const version = 1;
const checksumBytes = 6;
const payloadBytes = 1 + 8;

/**
 * Encodes the position after the item `lastId` as an opaque, URL-safe string.
 *
 * `list` names the list that the cursor belongs to, with its stage and filter.
 */
export function encodeCursor(lastId: bigint, list: string): string {
  const payload = Buffer.alloc(payloadBytes);
  payload.writeUInt8(version);
  payload.writeBigInt64BE(lastId, 1);
  return Buffer.concat([payload, checksum(payload, list)]).toString('base64url');
}

/**
 * Returns the id of the last item before a cursor.
 *
 * Throws `bad_request` unless this version of the service wrote the cursor for this list. The
 * checksum detects damage and mix-ups. It is not a signature: a forged cursor shows nothing that its
 * caller may not list.
 */
export function decodeCursor(cursor: string, list: string): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(0, payloadBytes);
  if (payload.length === payloadBytes) {
    const lastId = payload.readBigInt64BE(1);
    // Encoding it again compares version, length and checksum at once.
    if (lastId >= 1n && encodeCursor(lastId, list) === cursor) return lastId;
  }
  throw new ApiError(
    'bad_request',
    'cursor must be unchanged and sent with the same filter as its list. To start again, send no cursor.',
  );
}

function checksum(payload: Buffer, list: string): Buffer {
  const scope = Buffer.from(`${list} `);
  return hash('sha256', Buffer.concat([scope, payload]), 'buffer').subarray(0, checksumBytes);
}
