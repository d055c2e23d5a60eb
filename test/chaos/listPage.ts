import type { Client } from './Client.ts';
import type { Instance } from './Instance.ts';
import { idIn, type Ledger } from './Ledger.ts';

type Asking = {
  client: Pick<Client, 'send'>;
  ledger: Ledger;
  instance: () => Promise<Instance>;
};

/** Where a page begins, and in which list. */
export type Place = {
  query: string;
  limit: number;
  /** Empty for the list of every status. */
  status: string;
  /** The last id of the page before. */
  afterId: number;
};

export function startOfList(status: string, limit: number): Place {
  return { query: `?limit=${limit}${status && `&status=${status}`}`, limit, status, afterId: 0 };
}

/**
 * Asks for a page and returns where the next one begins, if one follows.
 *
 * All that was acknowledged before must be on it, from its beginning to its last pet, or to the end of
 * the list where no page follows: the indexes of the engines do not lag.
 */
export async function listPage(
  { client, ledger, instance }: Asking,
  { query, limit, status, afterId }: Place,
): Promise<Place | undefined> {
  const path = `/pets${query}`;
  const asked = await instance();
  const acknowledged = acknowledgedTexts(ledger, status);
  const received = await client.send(asked, { path, expected: [200] });
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
