import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fallbackThrottleShare } from '../infra/apiMethods.ts';
import { stackName } from '../infra/stackNames.ts';
import type { Stage } from '../infra/stageSchema.ts';
import { stages } from '../infra/stages.ts';
import { readUnitsOfPage, writeUnitsOfItem } from '../infra/tableCeiling.ts';

const files = globSync(['*.md', '{client,docs,test}/**/*.md'], { exclude: ['**/node_modules'] });
const read = (file: string) => readFileSync(file, 'utf8');

const { scripts } = JSON.parse(read('package.json'));

type Described = { parameters?: { name: string }[] };
const { paths, components } = JSON.parse(read('openapi.json'));

/** The members of all bodies, and the parameters of all operations. */
const fields = [
  ...Object.values<{ properties?: object }>(components.schemas).flatMap(({ properties = {} }) =>
    Object.keys(properties),
  ),
  ...Object.values<Record<string, Described>>(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)),
];

const wordsOfCode = new Set(
  globSync(['{lib,functions,infra,client/src}/**/*.{ts,js}', '*.json'], {
    exclude: ['package-lock.json'],
  })
    // An example in a comment may be out of date.
    .map((file) => read(file).replaceAll(/\/\*\*.*?\*\//gs, ''))
    .flatMap((text) => text.match(/\w+/g) ?? []),
);

const sandboxes = files.flatMap((file) => read(file).match(/(?<=-c stage=)[\w-]+/g) ?? []);
const stageNames = [...stages.map(({ name }) => name), ...sandboxes, '$STAGE'];

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

  it.each<[what: string, pattern: RegExp, exists: (name: string) => boolean, files?: RegExp]>([
    [
      'files',
      /(?<=`)(functions|lib|infra|test)\/[\w./-]+(?=`)/g,
      // A test may be named after what it tests.
      (path) => existsSync(path) || existsSync(`${path}.test.ts`),
    ],
    ['npm scripts', /(?<=npm run )[\w:-]+/g, (name) => name in scripts],
    [
      'stages and stacks',
      /(\b[A-Za-z]\w*-)?(\bv\d-[a-z][a-z\d-]*|\$STAGE)/g,
      (name) => stageNames.some((stage) => name === stage || name === stackName(stage)),
      // A fork chooses its own names.
      /^(?!CHANGELOG|CONTRIBUTING)/,
    ],
    [
      'members and parameters of requests and responses',
      /(?<=")\w+(?=":)|(?<=[?&])\w+(?==)/g,
      (name) => fields.includes(name),
      /^README|guide/,
    ],
    [
      'fields, operations and settings',
      // A name in capitals is a variable of a shell.
      /(?<=`)(?![A-Z_\d]+`)[A-Za-z]\w*(?=`)/g,
      (name) => wordsOfCode.has(name),
      // A changelog also names what was removed.
      /README|guide\/(?!changelog)|reference|consistency/,
    ],
    [
      // Names of AWS begin with a capital letter.
      'attributes, indexes and settings',
      /(?<=`)[a-z]+[A-Z]\w*(?=`)/g,
      (name) => wordsOfCode.has(name),
      /DECISIONS|runbook|capacity|CONTRIBUTING/,
    ],
  ])('name only %s that exist', (_, pattern, exists, where = /./) => {
    const names = files
      .filter((file) => where.test(file))
      .flatMap(linesOf)
      .flatMap(({ place, line }) => (line.match(pattern) ?? []).map((name) => ({ place, name })));

    const unknown = names.filter(({ name }) => !exists(name));

    expect(names.length).toBeGreaterThan(0);
    expect(unknown.map(({ place, name }) => `${place} ${name}`)).toEqual([]);
  });

  it('say each sentence once, and link to it elsewhere', () => {
    const description: string = JSON.parse(read('openapi.json')).info.description;
    // Each sentence once for each document.
    const sentences = [...files.map(prose), description].flatMap((text) => [
      ...new Set(text.replaceAll(/\]\([^)]*\)|[[\]*]/g, '').split(/(?<=[.:])\s+|\n+|\|/)),
    ]);
    const long = sentences.filter((sentence) => sentence.split(' ').length >= 8);

    expect(long.length).toBeGreaterThan(0);
    expect(long.filter((sentence, index) => long.indexOf(sentence) < index)).toEqual([]);
  });

  it('use each Idempotency-Key once, because it fits one body', () => {
    const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;
    const keys = [...files, 'openapi.json'].flatMap((file) => read(file).match(uuid) ?? []);

    expect(keys.length).toBeGreaterThan(1);
    expect(keys).toEqual([...new Set(keys)]);
  });

  it.each(files.filter((file) => read(file).includes('```sh')))(
    'have only shell code that bash can read: %s',
    (file) => {
      const blocks = [...read(file).matchAll(/^ *```sh\n(.*?)^ *```$/gms)];

      const { stderr } = spawnSync('bash', ['-n'], {
        input: blocks.map(([, code]) => code).join(''),
        encoding: 'utf8',
      });

      expect(stderr).toBe('');
    },
  );
});

const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });

describe('the limits of infra/stages.ts', () => {
  const ofStages = (limit: (stage: Stage) => string) => stages.map(limit).join(' | ');
  const rates = (share: number) =>
    ofStages(
      ({ operationThrottle: { requestsPerSecond, burstRequests } }) =>
        `${number(requestsPerSecond * share)}, burst ${number(burstRequests * share)}`,
    );
  const ofFirewall = (limit: keyof NonNullable<Stage['firewall']>) =>
    ofStages(({ firewall }) => (firewall ? number(firewall[limit]) : 'none'));

  it.each([
    ['Requests per second of an operation', rates(1)],
    ['Other requests per second, such as `HEAD`', rates(fallbackThrottleShare)],
    ['Requests per address and minute', ofFirewall('requestsPerMinuteAndAddress')],
    ['Requests per API key and minute', ofFirewall('requestsPerMinuteAndApiKey')],
  ])('are those of docs/guide/rate-limits.md: %s', (limit, cells) => {
    expectRow('docs/guide/rate-limits.md', limit, cells);
  });
});

describe('docs/capacity.md', () => {
  it('has the creates and lists of the largest pets that an index partition takes', () => {
    const creates = Math.floor(1000 / writeUnitsOfItem);
    const lists = Math.floor(3000 / readUnitsOfPage(100));

    expectRow(
      'docs/capacity.md',
      'index partition: 1,000 write and 3,000 read units',
      `${creates} creates, and ${lists} lists of 100; with pets of 120 bytes 1,000 and 2,000`,
    );
  });
});

describe('docs/guide/changelog.md', () => {
  it('begins with the version of openapi.json', () => {
    const { info } = JSON.parse(read('openapi.json'));
    const [, newest] = /^\*\*(.+)\*\*$/m.exec(read('docs/guide/changelog.md')) ?? [];

    expect(newest, 'or raise interfaceVersion in infra/openapi/openApiDocument.ts').toBe(
      info.version,
    );
  });
});

function linesOf(file: string) {
  const lines = read(file).split('\n');
  return lines.map((line, index) => ({ place: `${file}:${index + 1}`, line }));
}

/** Expects these cells in the row of a table that begins with the limit. */
function expectRow(file: string, limit: string, cells: string): void {
  const row = read(file)
    .split('\n')
    .find((line) => line.startsWith(`| ${limit} |`));
  expect(row, file).toMatch(`| ${limit} | ${cells} |`);
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
