import { PetStoreError } from './PetStoreError.ts';

/** Commas part links and semicolons their parameters, but for those in a target or in quotes. */
const linkValues = /(?:<[^<>]*>|"(?:[^"\\]|\\.)*"|[^,])+/g;
const linkParts = /(?:<[^<>]*>|"(?:[^"\\]|\\.)*"|[^;])+/g;
const target = /^\s*<([^<>]*)>\s*$/;
const relations = /^\s*rel\s*=\s*(?:"([^"]*)"|(\S+))\s*$/i;

/** Finds the target of a relation in a `Link` header (RFC 8288). */
export function findLink(header: string | null, relation: string): string | undefined {
  const links = header?.match(linkValues) ?? [];
  return links.map((link) => targetOf(link, relation)).find((found) => found !== undefined);
}

function targetOf(link: string, relation: string): string | undefined {
  const [first = '', ...parameters] = link.match(linkParts) ?? [];
  // A further `rel` does not count.
  const [, quoted, bare] = parameters.map((part) => relations.exec(part)).find(Boolean) ?? [];
  const isNamed = (quoted ?? bare)?.toLowerCase().split(/\s+/).includes(relation);
  return isNamed ? target.exec(first)?.[1] : undefined;
}

/**
 * Reads the cursor of the next page out of a `Link` header.
 *
 * Nothing but the cursor is taken from the link, so no answer can lead the API key elsewhere. A link
 * that leaves the list is refused rather than followed in part: its cursor belongs to another place.
 */
export function nextCursor(
  header: string | null,
  listAddress: string,
  usedCursor: string | undefined,
): string | undefined {
  const link = findLink(header, 'next');
  if (link === undefined) return undefined;

  const list = new URL(listAddress);
  const next = URL.canParse(link, listAddress) ? new URL(link, listAddress) : undefined;
  const cursor = next?.searchParams.get('cursor');
  if (next?.origin !== list.origin || next.pathname !== list.pathname || !cursor) {
    throw new PetStoreError(
      'unexpected_answer',
      `The next page is not below ${listAddress}, and was not asked for.`,
    );
  }
  if (cursor === usedCursor) {
    throw new PetStoreError(
      'unexpected_answer',
      'The next page is the one that was asked for: the list would never end.',
    );
  }
  return cursor;
}
