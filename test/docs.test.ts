import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPetStoreClient } from '../client/src/createPetStoreClient.ts';
import { fallbackThrottleShare } from '../infra/core/apiMethods.ts';
import type { Stage } from '../infra/stageSchema.ts';
import { stages } from '../infra/stages.ts';
import { corsHeaders } from '../lib/cors.ts';
import { errorStatuses } from '../lib/errors.ts';
import { basePath, operationEntries } from '../lib/operations.ts';
import { errorStatuses as describedStatuses } from './contract/checkResponse.ts';

// These tests read what a reader follows or types: links, paths, commands and tables. Sentences are free.

const files = globSync(['*.md', '{client,docs,test}/**/*.md'], { exclude: ['**/node_modules'] });
const read = (file: string) => readFileSync(file, 'utf8');

const { scripts } = JSON.parse(read('package.json'));

type Described = { parameters?: { name: string }[] };
const { paths, components } = JSON.parse(read('openapi.json'));

const fields = Object.values<{ properties?: object }>(components.schemas).flatMap(
  ({ properties = {} }) => Object.keys(properties),
);
const parameters = Object.values<Record<string, Described>>(paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap((method) => (method.parameters ?? []).map(({ name }) => name));

const reference = read('docs/guide/reference.md');

describe('the documents', () => {
  it('link only to files and headings that exist', () => {
    const links = files.flatMap((file) =>
      [...prose(file).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].map(
        ([link, path, anchor]) => ({
          link,
          anchor,
          target: path ? join(dirname(file), path) : file,
          file,
        }),
      ),
    );

    const broken = links.filter(
      ({ target, anchor }) => !existsSync(target) || (anchor && !anchors(target).has(anchor)),
    );

    expect(links.length).toBeGreaterThan(0);
    expect(broken.map(({ file, link }) => `${file} ${link}`)).toEqual([]);
  });

  it.each<[what: string, pattern: RegExp, exists: (name: string) => boolean]>([
    [
      'files',
      /(?<=^`)(\.github|client|docs|functions|infra|lib|local|openapi|test|tools)\/[\w./-]+(?=`$)/g,
      // A test may be named after what it tests.
      (path) => existsSync(path) || existsSync(`${path}.test.ts`),
    ],
    ['npm scripts', /(?<=npm run )[\w:-]+/g, (name) => name in scripts],
  ])('have in their code only %s that exist', (_, pattern, exists) => {
    const names = files
      .flatMap((file) => codeIn(read(file)).map((code) => ({ file, code })))
      .flatMap(({ file, code }) => (code.match(pattern) ?? []).map((name) => ({ file, name })));

    const unknown = names.filter(({ name }) => !exists(name));

    expect(names.length).toBeGreaterThan(0);
    expect(unknown.map(({ file, name }) => `${file} ${name}`)).toEqual([]);
  });

  it('have no comment in a command to paste, except in the runbook, because zsh reads it as arguments', () => {
    const commands = files
      .filter((file) => file !== join('docs', 'runbook.md'))
      .flatMap((file) => read(file).match(/(?<=^ *```sh\n).*?(?=^ *```)/gms) ?? [])
      .flatMap((block) => block.split('\n'));

    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => /(^|\s)#/.test(command))).toEqual([]);
  });
});

describe('docs/guide/reference.md', () => {
  const operations = operationEntries.map(([, row]) => `${row.method} ${basePath}${row.path}`);
  const headers = [
    ...operationEntries.flatMap(([, { responseHeaders = [] }]) => responseHeaders),
    ...Object.keys(components.headers),
    // openapi.json describes neither the headers of CORS nor those of the fallback.
    ...Object.keys(corsHeaders('', [''])),
    'Allow',
  ];

  it('has each operation, parameter, field and header', () => {
    const named = codeIn(reference).map((code) => code.slice(1, -1).split(': ')[0]);

    const missing = [...operations, ...parameters, ...fields, ...headers].filter(
      (name) => !named.includes(name),
    );
    expect(missing, 'add them to docs/guide/reference.md').toEqual([]);
  });

  it('lists no operation, field or header that is gone', () => {
    const sections = ['Operations', 'Pet', 'Response headers'].map(sectionOf);
    const listed = [...sections.join('').matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
      codeIn(cell),
    );

    const names = operationEntries.map(([name]) => name);
    const gone = listed
      .map((code) => code.slice(1, -1).split(/[:=]/)[0] ?? '')
      .filter((name) => ![...names, ...fields, ...headers, 'rel'].includes(name));
    expect(listed.length).toBeGreaterThan(0);
    expect(gone, 'delete them from docs/guide/reference.md').toEqual([]);
  });
});

describe('client/README.md', () => {
  it('lists the methods of the client', () => {
    const rows = read('client/README.md').matchAll(/^\| `(\w+)\(/gm);

    const client = createPetStoreClient({ baseAddress: 'http://a.test/v1', apiKey: 'a' });
    expect([...rows].map(([, name]) => name).sort()).toEqual(Object.keys(client).sort());
  });
});

describe('the error codes of lib/errors.ts', () => {
  const rows = sectionOf('Errors').matchAll(/^\| `(\w+)` \| (\d+) \|/gm);

  it.each([
    ['docs/guide/reference.md lists', [...rows].map(([, code, status]) => [code, Number(status)])],
    ['openapi.json describes', Object.entries(describedStatuses)],
  ])('are those that %s', (_, listed) => {
    expect(Object.fromEntries(listed)).toStrictEqual(errorStatuses);
  });
});

describe('the limits of infra/stages.ts', () => {
  const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
  const ofStages = (limit: (stage: Stage) => string) => stages.map(limit).join(' | ');
  const rates = (share: number) =>
    ofStages(
      ({ operationThrottle: { requestsPerSecond, burstRequests } }) =>
        `${number(requestsPerSecond * share)}, burst ${number(burstRequests * share)}`,
    );
  const ofFirewall = (limit: keyof NonNullable<Stage['firewall']>) =>
    ofStages(({ firewall }) => (firewall ? number(firewall[limit]) : 'none'));

  it('are those of docs/guide/reference.md', () => {
    const rows = sectionOf('Rate limits').match(/(?<=^\| )[A-Z].+(?= \|$)/gm);

    expect(rows).toEqual([
      expect.stringMatching(RegExp(`^Limit( \\| [^|]+){${stages.length}}$`)),
      `Requests per second of an operation | ${rates(1)}`,
      `Requests per second of another method of a path, such as \`HEAD /pets\` | ${rates(fallbackThrottleShare)}`,
      `Requests per address and minute | ${ofFirewall('requestsPerMinuteAndAddress')}`,
      `Requests per API key and minute | ${ofFirewall('requestsPerMinuteAndApiKey')}`,
    ]);
  });
});

/** Returns a section of the reference, with its heading. */
function sectionOf(heading: string): string {
  return reference.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '';
}

/** The blocks of code and the texts in backticks, each with its backticks. */
function codeIn(text: string): string[] {
  return text.match(/^ *```.*?^ *```|`[^`\n]+`/gms) ?? [];
}

/** Removes code: its brackets are not links, and its comments are not headings. */
function prose(file: string): string {
  return withoutBlocks(file).replaceAll(/`[^`\n]*`/g, '');
}

function withoutBlocks(file: string): string {
  return read(file).replaceAll(/^ *```.*?^ *```/gms, '');
}

/** The anchors of all headings, as Git hosts make them. */
function anchors(file: string): Set<string> {
  const headings = [...withoutBlocks(file).matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
