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
