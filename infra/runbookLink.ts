/**
 * Says where to read what to do, as the end of a message to the operators.
 *
 * The path is relative, because a fork has a repository of its own, and the message may be read when
 * nothing but a clone is at hand. The anchor is the heading's own, as Git hosts make it.
 */
export function runbookLink(heading: string): string {
  return `Runbook: docs/operations.md#${heading.toLowerCase().replaceAll(' ', '-')}`;
}
