import { hash } from 'node:crypto';
import { ApiError } from './ApiError.ts';
import type { PetStatus } from './schemas.ts';

/** Whose list a cursor is a place in: it fits no other stage and no other filter. */
type CursorList = { stage: string; status?: PetStatus | undefined };

const version = 1;
const checksumBytes = 6;
const payloadBytes = 1 + 8;

/** Writes the place after the pet `lastId` as an opaque, URL-safe text. */
export function encodeCursor(lastId: bigint, list: CursorList): string {
  const payload = Buffer.alloc(payloadBytes);
  payload.writeUInt8(version);
  payload.writeBigInt64BE(lastId, 1);
  return Buffer.concat([payload, checksum(payload, list)]).toString('base64url');
}

/**
 * Reads the id that a cursor stands after.
 *
 * Throws a `bad_request` on a text that this version of the service did not write for this list. The
 * checksum catches damage and mix-ups; it is no secret, because a place in a list is none either.
 */
export function decodeCursor(cursor: string, list: CursorList): bigint {
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(0, payloadBytes);
  if (payload.length === payloadBytes) {
    const lastId = payload.readBigInt64BE(1);
    // Written again it must be the same text: that compares version, length and checksum at once.
    if (lastId >= 1n && encodeCursor(lastId, list) === cursor) return lastId;
  }
  throw new ApiError(
    'bad_request',
    'cursor must be taken from the Link header of the same list, with the same status: begin again without a cursor.',
  );
}

function checksum(payload: Buffer, { stage, status }: CursorList): Buffer {
  const scope = Buffer.from(`${stage} ${status ?? 'all'} `);
  return hash('sha256', Buffer.concat([scope, payload]), 'buffer').subarray(0, checksumBytes);
}
