import { describe, expect, it } from 'vitest';
import { withSection } from './report.ts';
import { slope } from './stats.ts';

describe('withSection', () => {
  it('replaces the text of the section and nothing else', () => {
    const document = '# Title\n\n<!-- one -->\n<!-- /one -->\n\n<!-- two -->\n<!-- /two -->\n';

    expect(withSection(document, 'one', 'new $& text')).toBe(
      document.replace('-->\n<!-- /one', () => '-->\n\nnew $& text\n\n<!-- /one'),
    );
  });

  it('throws if there is no such section', () => {
    expect(() => withSection('# Title', 'one', 'text')).toThrow('no section one');
  });
});

describe('slope', () => {
  it('returns the slope of the line of least squares', () => {
    const points = [0, 1, 2, 3].map((x) => [x, [1, 0, 3, 2][x] ?? 0] as const);

    expect(slope(points)).toBeCloseTo(0.6, 12);
  });
});
