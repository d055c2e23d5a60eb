import { idIn } from '../helpers/petText.ts';
import type { Client } from './Client.ts';
import type { Instance } from './Fleet.ts';
import type { Ledger } from './Ledger.ts';

type Sender = {
  client: Pick<Client, 'send'>;
  ledger: Ledger;
  instance: () => Promise<Instance>;
};

/** The start of a page in a list. */
export type Place = {
  query: string;
  limit: number;
  /** Empty for the list of all statuses. */
  status: string;
  /** The last id of the previous page. */
  afterId: number;
};

export function startOfList(status: string, limit: number): Place {
  return { query: `?limit=${limit}${status && `&status=${status}`}`, limit, status, afterId: 0 };
}

/**
 * Requests a page and returns the place of the next one, if there is one.
 *
 * The page must contain every pet of its range that was acknowledged before, because the indexes of
 * the engines do not lag. The last page ranges to the end of the list.
 */
export async function listPage(
  { client, ledger, instance }: Sender,
  { query, limit, status, afterId }: Place,
): Promise<Place | undefined> {
  const path = `/pets${query}`;
  const target = await instance();
  const acknowledged = acknowledgedTexts(ledger, status);
  const received = await client.send(target, { path, expectedStatus: 200 });
  if (received?.status !== 200) return undefined;

  const pets: { id: number; status: string }[] = JSON.parse(received.text);
  const isRight = pets.every(
    (pet, n) => pet.id > (pets[n - 1]?.id ?? afterId) && (status === '' || pet.status === status),
  );
  if (!isRight || pets.length > limit) ledger.violations.push(`${path} → ${received.text}`);

  const nextQuery = /\?[^>]+/.exec(received.link ?? '')?.[0];
  const lastId = pets.at(-1)?.id;
  const next = nextQuery && lastId && { query: nextQuery, limit, status, afterId: lastId };
  const listed = new Set(received.text.match(/\{"id":.+?"status":"\w+"\}/gs));
  for (const text of acknowledged) {
    const id = Number(idIn(text));
    const belongsHere = id > afterId && (!next || id <= next.afterId);
    if (belongsHere && !listed.has(text)) ledger.violations.push(`${text} is missing on ${path}`);
  }
  return next && isRight ? next : undefined;
}

function acknowledgedTexts(ledger: Ledger, status: string): string[] {
  return ledger
    .acknowledged()
    .filter((creation) => status === '' || creation.status === status)
    .map(({ acknowledgement = '' }) => acknowledgement);
}
