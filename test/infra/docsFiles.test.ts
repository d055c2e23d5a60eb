import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createDocsFiles } from '../../infra/docs/docsFiles.ts';
import openApiDocument from '../../openapi.json' with { type: 'json' };

const files = await createDocsFiles();
const textOf = (path: string) => files.get(path)?.body.toString() ?? '';

describe('the files of the documentation page', () => {
  it('contain the script of Scalar', () => {
    const script = textOf('/scalar.js');

    expect(() => new Script(script)).not.toThrow();
    expect(script).toContain('window.Scalar={createApiReference');
  });

  it('contain the chapters as Markdown, which llms.txt lists and whose links lead to files', () => {
    const chapters = globSync('docs/guide/*.md').map((file) => `/${basename(file)}`);

    const linksOf = (path: string) =>
      [...textOf(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => `/${link}`);
    expect(linksOf('/llms.txt').sort()).toEqual([...chapters, '/openapi.json'].sort());
    expect(linksOf('/')).toContain('/openapi.json');
    const links = ['/', ...chapters].flatMap(linksOf);
    expect(links.filter((link) => !files.has(link))).toEqual([]);
  });

  it('contain openapi.json as it is, unless there is another server', () => {
    expect(JSON.parse(textOf('/openapi.json'))).toEqual(openApiDocument);
  });

  it('say what the service is before the scripts have run', () => {
    expect(textOf('/')).toContain(`<p>${openApiDocument.info.description.split('\n')[0]}</p>`);
  });
});
