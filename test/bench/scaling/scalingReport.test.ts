import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withSection } from '../writeSection.ts';
import { scalingReport } from './scalingReport.ts';

describe('docs/scaling.md', () => {
  it('is what the model says; else npm run bench:scaling -- --write puts it right', () => {
    const document = readFileSync('docs/scaling.md', 'utf8');

    expect(document).toBe(withSection(document, 'model', scalingReport()));
  });
});
