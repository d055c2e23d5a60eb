import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { otherShare } from '../infra/definitions/tableDemand.ts';
import { pipelineStackName, type Stage, stackName, stages } from '../infra/stages.ts';
import { PetStatus } from '../lib/schemas.ts';

const files = globSync(['*.md', '{client,docs,test}/**/*.md'], { exclude: ['**/node_modules'] });
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('the documents', () => {
  it('are found', () => {
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

  it.each(files.filter((file) => file !== 'CHANGELOG.md'))(
    '%s names only stacks that exist',
    (file) => {
      const names = readFileSync(file, 'utf8').matchAll(/\bPetStore-[\w$-]+/g);

      const known = [...stages.map(({ name }) => name), '$STAGE'].map(stackName);
      const unknown = [...names].filter(
        ([name]) => !known.includes(name) && !name.startsWith(pipelineStackName),
      );
      expect(unknown.map(([name]) => name)).toEqual([]);
    },
  );
});

const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });

describe('docs/reference.md', () => {
  const rate = ({ operationThrottle: { requestsPerSecond, burstRequests } }: Stage, share = 1) =>
    `${number(requestsPerSecond * share)}, burst ${number(burstRequests * share)}`;

  it.each<[limit: string, ofStage: (stage: Stage) => string]>([
    ['Requests per second of an operation', (stage) => rate(stage)],
    ['Requests per second of each other method or path', (stage) => rate(stage, otherShare)],
    [
      'Requests per address and minute',
      ({ firewall }) => (firewall ? number(firewall.requestsPerMinuteAndAddress) : 'none'),
    ],
  ])('has the limit of every stage: %s', (limit, ofStage) => {
    const text = readFileSync('docs/reference.md', 'utf8');

    expect(text).toContain(`| ${limit} | ${stages.map(ofStage).join(' | ')} |`);
  });
});

describe('docs/capacity.md', () => {
  const [{ firewall, operationThrottle, tableCeiling }] = stages as [Stage];
  const writesOfCreate = 1.1;
  const statuses = PetStatus.options.length;
  /** Half a read for each started 4 KB. A pet has 120 bytes. */
  const readsOfQuery = (pets: number) => Math.ceil((pets * 120) / 4096) / 2;

  it.each([
    ['firewall', (firewall?.requestsPerMinuteAndAddress ?? 0) / 60, 'of one address'],
    ['throttle', operationThrottle.requestsPerSecond, 'of each operation'],
    [
      'table ceiling, writes',
      Math.floor(tableCeiling.writeUnits / writesOfCreate),
      `creates of ${writesOfCreate} writes`,
    ],
    [
      'table ceiling, reads',
      tableCeiling.readUnits / (statuses * readsOfQuery(20)),
      `lists of 20, ${number(Math.floor(tableCeiling.readUnits / (statuses * readsOfQuery(100))))} of 100`,
    ],
  ])('has the limit of production: %s', (limit, perSecond, what) => {
    const text = readFileSync('docs/capacity.md', 'utf8');

    expect(text).toContain(`| ${limit} | ${number(perSecond)} ${what}`);
  });
});

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
