import { PetStoreError } from './PetStoreError.ts';

/** Commas separate links and semicolons separate parameters, except inside a target or quotes. */
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
  // RFC 8288 ignores a second `rel`.
  const [, quoted, bare] = parameters.map((part) => relations.exec(part)).find(Boolean) ?? [];
  const isNamed = (quoted ?? bare)?.toLowerCase().split(/\s+/).includes(relation);
  return isNamed ? target.exec(first)?.[1] : undefined;
}

/**
 * Reads the cursor of the next page from a `Link` header.
 *
 * Only the cursor is used, so no response can send the API key to another server. A link to another
 * address is an error, because its cursor belongs to another list.
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
      `The link to the next page does not lead to ${listAddress}, so it was not requested.`,
    );
  }
  if (cursor === usedCursor) {
    throw new PetStoreError(
      'unexpected_answer',
      'The link to the next page leads to the same page: the list would never end.',
    );
  }
  return cursor;
}
