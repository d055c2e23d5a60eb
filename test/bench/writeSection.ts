import { readFileSync, writeFileSync } from 'node:fs';

/** Replaces a section of a file, see `withSection`. */
export function writeSection(file: string, name: string, text: string): void {
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), name, text));
}

/**
 * Replaces the text between two markers of a document: `<!-- name -->` and `<!-- /name -->`.
 *
 * Throws if the document has no such section.
 */
export function withSection(document: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new Error(`The document has no section ${name}.`);
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}
