import { PetStoreError } from './PetStoreError.ts';

const linkValue = /<([^<>]*)>((?:\s*;\s*[\w*-]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g;
const relations = /;\s*rel\s*=\s*"?([^";]*)/i;

/** Finds the target of a relation in a `Link` header (RFC 8288). */
export function findLink(header: string | null, relation: string): string | undefined {
  const links = [...(header ?? '').matchAll(linkValue)];
  const link = links.find(([, , parameters = '']) =>
    relations.exec(parameters)?.[1]?.toLowerCase().split(/\s+/).includes(relation),
  );
  return link?.[1];
}

/**
 * Reads the cursor of the next page out of a `Link` header.
 *
 * Nothing but the cursor is taken from the link, so no answer can lead the API key elsewhere. A link
 * that leaves the list is refused rather than followed in part: its cursor belongs to another place.
 */
export function nextCursor(header: string | null, listAddress: string): string | undefined {
  const target = findLink(header, 'next');
  if (target === undefined) return undefined;

  const list = new URL(listAddress);
  const next = URL.canParse(target, listAddress) ? new URL(target, listAddress) : undefined;
  const cursor = next?.searchParams.get('cursor');
  if (next?.origin !== list.origin || next.pathname !== list.pathname || !cursor) {
    throw new PetStoreError(
      'unexpected_answer',
      `The next page is not below ${listAddress}, and was not asked for.`,
    );
  }
  return cursor;
}
