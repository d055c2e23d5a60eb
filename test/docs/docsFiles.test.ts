import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDocsFiles } from '../../docs/page/docsFiles.ts';
import { docs } from '../../tools/docs.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const files = await createDocsFiles();
const textOf = (path: string) => files.get(path)?.body.toString() ?? '';

/** Returns the OpenAPI document in the page. */
function documentIn(page: string): string {
  return /id="document">([^\n]*)<\/script>\n/.exec(page)?.[1] ?? '';
}

describe('the files of the documentation page', () => {
  it('contain each chapter, in the page and as Markdown, with links that lead to files', () => {
    const chapters = globSync('docs/guide/*.md').map((file) => ({
      path: `/${basename(file)}`,
      heading: readFileSync(file, 'utf8').split('\n')[0] ?? '',
    }));

    const { description } = JSON.parse(documentIn(textOf('/'))).info;
    const missing = chapters.filter(({ heading }) => !description.includes(`${heading}\n`));
    expect(missing, 'docs/page/guide.ts lists the chapters').toEqual([]);
    const linksOf = (path: string) =>
      [...textOf(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => `/${link}`);
    expect(linksOf('/')).toContain('/openapi.json');
    const links = ['/', '/openapi.json', ...chapters.map(({ path }) => path)].flatMap(linksOf);
    expect(links.filter((link) => !files.has(link))).toEqual([]);
  });

  it('have links from chapter to chapter that lead to a heading of the page, of which there is one', () => {
    const { description } = JSON.parse(documentIn(textOf('/'))).info;

    const headings = [...description.matchAll(/^##? (.+)$/gm)].map(([, heading]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...description.matchAll(/\]\(#([^)]*)\)/g)].map(([, link]) => link);

    expect(links).toContain('description/rate-limits');
    expect(new Set(headings).size).toBe(headings.length);
    expect(links.filter((link) => !headings.includes(link.replace('description/', '')))).toEqual(
      [],
    );
  });

  it('have the document for programs in ASCII, as openapi.json is', () => {
    expect(textOf('/openapi.json')).toMatch(/^[\n -~]+$/);
  });

  it('have the document in a script that no text of a chapter can end', () => {
    const json = documentIn(textOf('/'));

    expect(json).not.toContain('<');
    expect(JSON.parse(json).info.description).toContain('<');
  });
});

describe('npm run docs', () => {
  it('writes a page that finds its files beside it, in any folder', async () => {
    const folder = await temporaryFolder();

    await runCommandHere(docs, ['--out', folder, '--server', 'https://api.example.com/v1']);

    const page = readFileSync(join(folder, 'index.html'), 'utf8');
    const addresses = [...page.matchAll(/ (?:href|src)="([^"?]+)/g)].map(([, address]) => address);
    expect(addresses).toContain('scalar.js');
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(addresses));
    const { servers } = JSON.parse(documentIn(page));
    expect(servers[0].url).toBe('https://api.example.com/v1');
  });
});
