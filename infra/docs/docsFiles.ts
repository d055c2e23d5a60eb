import { readFile } from 'node:fs/promises';
import { describeForPage } from './describeForPage.ts';
import { type DocsPageOptions, docsPage } from './docsPage.ts';
import { scalarBundle } from './scalarBundle.ts';

export type DocsFile = { contentType: string; read: () => Promise<string> };

const script = 'text/javascript; charset=utf-8';

/** All that the documentation page consists of, by paths relative to it. */
export function docsFiles(options: DocsPageOptions = {}): Map<string, DocsFile> {
  const description = () => describeForPage(options.servers ?? []);
  return new Map([
    [
      'index.html',
      { contentType: 'text/html; charset=utf-8', read: async () => docsPage(options) },
    ],
    ['openapi.json', { contentType: 'application/json', read: description }],
    ['docs/exactIntegers.js', { contentType: script, read: () => readOwn('exactIntegers.js') }],
    ['docs/scalar.js', { contentType: script, read: scalarBundle }],
    ['docs/showReference.js', { contentType: script, read: () => readOwn('showReference.js') }],
    ['docs/icon.svg', { contentType: 'image/svg+xml', read: () => readOwn('icon.svg') }],
  ]);
}

function readOwn(name: string): Promise<string> {
  return readFile(new URL(`./browser/${name}`, import.meta.url), 'utf8');
}
