import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDocsFiles } from '../../docs/page/docsFiles.ts';

const files = await createDocsFiles();
const textOf = (path: string) => files.get(path)?.body.toString() ?? '';

describe('the files of the documentation page', () => {
  it('contain the chapters as Markdown, which llms.txt lists and whose links lead to files', () => {
    const chapters = globSync('docs/guide/*.md').map((file) => `/${basename(file)}`);

    const linksOf = (path: string) =>
      [...textOf(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => `/${link}`);
    expect(linksOf('/llms.txt').sort(), 'docs/page/guide.ts lists the chapters').toEqual(
      [...chapters, '/openapi.json'].sort(),
    );
    expect(linksOf('/')).toContain('/openapi.json');
    const links = ['/', ...chapters].flatMap(linksOf);
    expect(links.filter((link) => !files.has(link))).toEqual([]);
  });

  it('have the document in a script that no text of a chapter can end', () => {
    const [, json = ''] = /id="document">(.*)<\/script>\n/.exec(textOf('/')) ?? [];

    expect(json).not.toContain('<');
    expect(JSON.parse(json).info.description).toContain('<');
  });
});
