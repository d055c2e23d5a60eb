import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stackName } from '../infra/stackNames.ts';
import { operationEntries } from '../lib/operations.ts';
import { samplePets } from './contract/petResource.ts';
import { durableName } from './helpers/bareStage.ts';

// Facts of documents that a command or a template has too.

const read = (file: string) => readFileSync(file, 'utf8');

describe('an idle month of production in docs/capacity.md', () => {
  const template = read(`infra/templates/${stackName(durableName)}.json`);
  const resources = Object.values<{ Type: string; Properties?: Record<string, object[]> }>(
    JSON.parse(template).Resources,
  );
  const ofType = (type: string) => resources.filter(({ Type }) => Type === `AWS::${type}`);
  const rules = ofType('WAFv2::WebACL').flatMap(({ Properties }) => Properties?.Rules ?? []).length;
  const metrics = ofType('CloudWatch::Alarm')
    .map(
      ({ Properties }) => Properties?.Metrics?.filter((each) => 'MetricStat' in each).length ?? 1,
    )
    .reduce((sum, count) => sum + count, 0);
  const composites = ofType('CloudWatch::CompositeAlarm').length;
  const filters = ofType('Logs::MetricFilter').length;
  const dollars = (cents: number) => (cents / 100).toFixed(2);

  it.each([
    ['firewall', rules && 500 + 100 * rules, `5.00, and 1.00 for each of ${rules} rules`],
    [
      'alarms',
      10 * metrics + 50 * composites,
      `0.10 for each of ${metrics} metrics, 0.50 for each of ${composites} composite alarms`,
    ],
    ['metrics of the access log', 30 * filters, `0.30 for each of ${filters}`],
  ])('has what the template has: %s', (part, cents, price) => {
    const [row] = new RegExp(`\\| ${part} \\| \\d.+`).exec(read('docs/capacity.md')) ?? [];

    expect(row).toBe(cents > 0 ? `| ${part} | ${dollars(cents)} | ${price} |` : undefined);
  });

  it('costs the sum of its parts', () => {
    const [chapter = '', sum] =
      /An idle month of production costs \$(\d+\.\d\d).+?(?=\n- )/s.exec(
        read('docs/capacity.md'),
      ) ?? [];

    const parts = [...chapter.matchAll(/\| (\d+\.\d\d) \|/g)].map(([, part]) => Number(part) * 100);
    expect(parts.length).toBeGreaterThan(0);
    expect(sum).toBe(dollars(parts.reduce((total, part) => total + part)));
  });
});

describe('the pets that a smoke test leaves', () => {
  it.each(['README.md', 'infra/tools/smoke.ts'])('are counted by %s', (file) => {
    const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
    const [, count] = /\bit adds (\w+) (?:\w+ )?pets\b/i.exec(read(file)) ?? [];

    expect(count).toBe(words[Object.keys(samplePets).length]);
  });
});

describe('the sentence that says what the service does', () => {
  const verbs = operationEntries.map(([, { method, path }]) => {
    if (method === 'GET') return path.endsWith('}') ? 'reads' : 'lists';
    return { POST: 'adds', PUT: 'changes', PATCH: 'changes', DELETE: 'deletes' }[method];
  });

  it.each<[file: string, sentence: RegExp]>([
    ['README.md', /: it ([a-z, ]+) pets,/],
    ['infra/openapi/openApiDocument.ts', /`([A-Za-z, ]+) the pets\b/],
  ])('names the methods of all operations: %s', (file, sentence) => {
    const [, named = ''] =
      sentence.exec(read(file)) ?? expect.fail(`${file} has no sentence like ${sentence}`);

    expect(new Set(named.toLowerCase().split(/, | and /))).toEqual(new Set(verbs));
  });
});
