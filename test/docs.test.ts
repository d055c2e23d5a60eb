import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fallbackShare } from '../infra/constructs/apiMethods.ts';
import { stackName } from '../infra/stackNames.ts';
import type { Stage } from '../infra/stageRules.ts';
import { settingsOf, stages } from '../infra/stages.ts';
import { readUnitsOfPage } from '../infra/tableDemand.ts';
import { ErrorBody, ListPetsQuery, Pet, PetStatus } from '../lib/schemas.ts';

const files = globSync(['*.md', '{client,docs,test}/**/*.md'], { exclude: ['**/node_modules'] });
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('the documents', () => {
  it('include the README and the runbook', () => {
    expect(files.sort()).toEqual(expect.arrayContaining(['README.md', 'docs/runbook.md']));
  });

  it.each(files)('%s links only to files and headings that exist', (file) => {
    const links = [...prose(file).matchAll(/\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)/g)];

    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? file : join(dirname(file), path);
      return !existsSync(target) || (anchor !== undefined && !anchors(target).has(anchor));
    });

    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it.each(files)('%s names only files and npm scripts that exist', (file) => {
    const text = readFileSync(file, 'utf8');
    const paths = [...text.matchAll(/`((?:functions|lib|infra|test)\/[\w./-]+)`/g)];
    const runs = [...text.matchAll(/npm run ([\w:-]+)/g)];

    const missing = paths.filter(
      // A test may be named after what it tests.
      ([, path = '']) => !existsSync(path) && !existsSync(`${path}.test.ts`),
    );

    expect(missing.map(([path]) => path)).toEqual([]);
    expect(runs.map(([, name = '']) => name).filter((name) => !scripts[name])).toEqual([]);
  });

  it.each(files)('%s has only shell code that bash can read', (file) => {
    const blocks = [...readFileSync(file, 'utf8').matchAll(/^ *```sh\n(.*?)^ *```$/gms)];

    const { stderr } = spawnSync('bash', ['-n'], {
      input: blocks.map(([, code]) => code).join(''),
      encoding: 'utf8',
    });

    expect(stderr).toBe('');
  });

  it.each(files.filter((file) => /^README|guide/.test(file)))(
    '%s has only fields and parameters that exist in its requests and responses',
    (file) => {
      const known = Object.keys({ ...Pet.shape, ...ErrorBody.shape, ...ListPetsQuery.shape });

      const unknown = linesOf(file).flatMap(({ place, line }) =>
        [...line.matchAll(/(?<=")\w+(?=":)|(?<=[?&])\w+(?==)/g)]
          .filter(([name]) => !known.includes(name))
          .map(([name]) => `${place} ${name}`),
      );
      expect(unknown).toEqual([]);
    },
  );

  const words = new Set(
    globSync(['{lib,functions,infra,client/src}/**/*.{ts,js}', '*.json'], {
      exclude: ['package-lock.json'],
    }).flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []),
  );

  it.each(files.filter((file) => /README|guide|reference|consistency/.test(file)))(
    '%s names only fields, operations and settings that the code has',
    (file) => {
      const unknown = linesOf(file).flatMap(({ place, line }) =>
        [...line.matchAll(/`([A-Za-z]\w*)`/g)]
          .filter(([, name = '']) => !words.has(name))
          .map(([, name]) => `${place} ${name}`),
      );
      expect(unknown).toEqual([]);
    },
  );

  it.each(files.filter((file) => file !== 'CHANGELOG.md'))(
    '%s names only stages and stacks that exist',
    (file) => {
      const text = readFileSync(file, 'utf8');
      const own = [...text.matchAll(/-c stage=([\w-]+)/g)].map(([, name = '']) => name);
      const known = [...stages.map(({ name }) => name), ...own, '$STAGE'];
      const names = known.flatMap((name) => [name, stackName(name)]);

      const wrong = linesOf(file).flatMap(({ place, line }) =>
        [...line.matchAll(/(\b[A-Za-z]\w*-)?(\bv\d-[a-z][a-z\d-]*|\$STAGE)/g)]
          .filter(([name]) => !names.includes(name))
          .map(([name]) => `${place} ${name}`),
      );

      expect(wrong).toEqual([]);
    },
  );
});

const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });

describe('docs/reference.md', () => {
  const rate = ({ operationThrottle: { requestsPerSecond, burstRequests } }: Stage, share = 1) =>
    `${number(requestsPerSecond * share)}, burst ${number(burstRequests * share)}`;

  it.each<[limit: string, ofStage: (stage: Stage) => string]>([
    ['Requests per second of an operation', (stage) => rate(stage)],
    [
      'Requests per second of `HEAD` and each other method or path',
      (stage) => rate(stage, fallbackShare),
    ],
    [
      'Requests per address and minute',
      ({ firewall }) => (firewall ? number(firewall.requestsPerMinuteAndAddress) : 'none'),
    ],
    [
      'Requests per API key and minute',
      ({ firewall }) => (firewall ? number(firewall.requestsPerMinuteAndApiKey) : 'none'),
    ],
  ])('has the limit of every stage: %s', (limit, ofStage) => {
    const row = `| ${limit} | ${stages.map(ofStage).join(' | ')} |`;

    expectLine('docs/reference.md', `| ${limit} |`, row);
  });
});

describe('docs/capacity.md', () => {
  const { firewall, operationThrottle, tableCeiling } = settingsOf('v1-production');
  const writesOfCreate = 1.1;
  const statuses = PetStatus.options.length;
  const lists = (pets: number) =>
    number(Math.floor(tableCeiling.readUnits / (statuses * readUnitsOfPage(pets))));

  it.each([
    [
      'firewall',
      number((firewall?.requestsPerMinuteAndAddress ?? 0) / 60),
      `of one address, ${number((firewall?.requestsPerMinuteAndApiKey ?? 0) / 60)} of one API key`,
    ],
    ['throttle', number(operationThrottle.requestsPerSecond), 'of each operation'],
    [
      'table ceiling, writes',
      number(Math.floor(tableCeiling.writeUnits / writesOfCreate)),
      `creates of ${writesOfCreate} writes`,
    ],
    ['table ceiling, reads', lists(20), `lists of 20, ${lists(100)} of 100`],
  ])('has the limit of production: %s', (limit, perSecond, what) => {
    expectLine('docs/capacity.md', `| ${limit} |`, `| ${limit} | ${perSecond} ${what}`);
  });
});

describe('docs/guide/changelog.md', () => {
  it('begins with the version of openapi.json', () => {
    const { info } = JSON.parse(readFileSync('openapi.json', 'utf8'));
    const [, newest] =
      /^\*\*(.+)\*\*$/m.exec(readFileSync('docs/guide/changelog.md', 'utf8')) ?? [];

    expect(newest, 'or raise interfaceVersion in infra/openapi/openApiDocument.ts').toBe(
      info.version,
    );
  });
});

function linesOf(file: string) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((line, index) => ({ place: `${file}:${index + 1}`, line }));
}

/** Expects that the line with this beginning goes on so, and says where the line is. */
function expectLine(file: string, beginning: string, expected: string): void {
  const found = linesOf(file).find(({ line }) => line.startsWith(beginning));
  expect(found?.line, `${found?.place ?? file} by infra/stages.ts`).toContain(expected);
}

/** Removes code: its brackets are not links, and its comments are not headings. */
function prose(file: string): string {
  return readFileSync(file, 'utf8')
    .replaceAll(/^ *```.*?^ *```/gms, '')
    .replaceAll(/`[^`\n]*`/g, '');
}

/** The anchors of all headings, as Git hosts make them. */
function anchors(file: string): Set<string> {
  const text = readFileSync(file, 'utf8').replaceAll(/^ *```.*?^ *```/gms, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
