import { readFile } from 'node:fs/promises';

/** A chapter of docs/guide, named as its file. */
type Chapter = { name: string; title: string; text: string };

/** What fills in the block of the quickstart that sets `BASE_ADDRESS` and `API_KEY`. */
export type Connection = { baseAddress?: string | undefined; apiKey?: string | undefined };

/** The chapters in the order of the sidebar. */
const chapterNames = [
  'quickstart',
  'authentication',
  'errors',
  'pagination',
  'idempotency',
  'retries',
  'rate-limits',
  'int64',
  'deprecation',
  'changelog',
];

/** Reads the chapters. Their links lead to each other, and to openapi.json beside them. */
export function readGuide(): Promise<Chapter[]> {
  return Promise.all(
    chapterNames.map(async (name) => {
      const file = new URL(`../../docs/guide/${name}.md`, import.meta.url);
      const text = (await readFile(file, 'utf8')).replaceAll('](../../', '](');
      return { name, title: /^# (.+)/.exec(text)?.[1] ?? name, text };
    }),
  );
}

/**
 * Turns the chapters into tags without operations.
 *
 * Scalar's search reads the description of a tag, but only the headings of the document's description.
 */
export function describeAsTags(guide: Chapter[], { baseAddress, apiKey }: Connection): object[] {
  return guide.map(({ name, title, text }) => ({
    name,
    'x-displayName': title,
    description: text
      .replace(/^# .+\n/, '')
      .replaceAll(/\]\(([\w-]+)\.md(#[\w-]+)?\)/g, '](#tag/$1)')
      .replace(/(?<=export BASE_ADDRESS=).+/, (example) => baseAddress ?? example)
      .replace(/(?<=export API_KEY=).+/, (example) => apiKey ?? example),
  }));
}

/** Lists the chapters for programs that read the guide as Markdown (https://llmstxt.org). */
export function listForPrograms(title: string, summary: string, guide: Chapter[]): string {
  const chapters = guide.map((chapter) => `- [${chapter.title}](${chapter.name}.md)`);
  return `# ${title}

> ${summary}

## Interface

- [openapi.json](openapi.json): the interface in OpenAPI 3.1

## Guide

${chapters.join('\n')}
`;
}
