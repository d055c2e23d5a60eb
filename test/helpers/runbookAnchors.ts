import { readFileSync } from 'node:fs';

/** Returns the anchors of the sections in docs/runbook.md, as Git hosts derive them. */
export function runbookAnchors(): string[] {
  const headings = readFileSync('docs/runbook.md', 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'));
}
