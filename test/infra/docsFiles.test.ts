import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createDocsFiles } from '../../infra/docs/docsFiles.ts';

const apiKey = 'ps_local_secret';
const files = await createDocsFiles({ apiKey, server: { url: '/v1', description: 'Here' } });
const textOf = (path: string) => files.get(path)?.body.toString() ?? '';

describe('the files of the documentation page', () => {
  it('contain the script of Scalar, at an address that changes with it', () => {
    const script = textOf('/scalar.js');

    expect(() => new Script(script)).not.toThrow();
    expect(script).toContain('window.Scalar={createApiReference');
    const version = createHash('sha256').update(script).digest('hex').slice(0, 16);
    expect(textOf('/')).toContain(`<script src="scalar.js?${version}">`);
    expect(files.get('/scalar.js')?.version).toBe(version);
  });

  it('contain the chapters as Markdown, which llms.txt lists and whose links lead to files', () => {
    const chapters = globSync('docs/guide/*.md').map((file) => `/${basename(file)}`);

    const linksOf = (path: string) =>
      [...textOf(path).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => `/${link}`);
    expect(linksOf('/llms.txt').sort()).toEqual([...chapters, '/openapi.json'].sort());
    const links = chapters.flatMap(linksOf);
    expect(links).toContain('/openapi.json');
    expect(links.filter((link) => !files.has(link))).toEqual([]);
  });

  it('contain the key in the page only', () => {
    const withKey = [...files.keys()].filter((path) => textOf(path).includes(apiKey));

    expect(withKey).toEqual(['/']);
  });
});
