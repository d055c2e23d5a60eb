import { readFile } from 'node:fs/promises';

/** A chapter of docs/guide, named as its file. */
type Chapter = { name: string; title: string; text: string };

/** The chapters in the order of the menu. */
const chapterNames = ['quickstart', 'pagination', 'retries', 'reference', 'changelog'];

/** The base address in the chapters. */
const defaultAddress = 'http://localhost:3000/v1';

/** Reads the chapters. Their links lead to each other, and to openapi.json beside them. */
export function readGuide(baseAddress = defaultAddress): Promise<Chapter[]> {
  return Promise.all(
    chapterNames.map(async (name) => {
      const file = new URL(`../guide/${name}.md`, import.meta.url);
      const text = (await readFile(file, 'utf8'))
        .replaceAll('](../../', '](')
        .replaceAll(defaultAddress, baseAddress);
      return { name, title: /^# (.+)/.exec(text)?.[1] ?? name, text };
    }),
  );
}

/**
 * Joins the chapters to one text, for a description whose headings Scalar's menu lists.
 *
 * Links to a chapter or to a heading lead to the heading on the page, so no two headings may have
 * the same name.
 */
export function joinChapters(guide: Chapter[]): string {
  const headings = new Map(guide.map(({ name, title }) => [name, slug(title)]));
  return guide
    .map(({ text }) =>
      text.replaceAll(
        /\]\((?:([\w-]+)\.md)?(?:#([\w-]+))?\)/g,
        (link, chapter: string, heading = headings.get(chapter)) =>
          heading ? `](#description/${heading})` : link,
      ),
    )
    .join('\n\n');
}

/** Writes a heading as Scalar does in its addresses. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
