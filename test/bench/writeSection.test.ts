import { describe, expect, it } from 'vitest';
import { withSection } from './writeSection.ts';

const document =
  '# Title\n\n<!-- one -->\n<!-- /one -->\n\n<!-- two -->\n\nold $& text\n\n<!-- /two -->\n';

describe('withSection', () => {
  it('fills an empty section and touches nothing else', () => {
    expect(withSection(document, 'one', 'new $& text')).toBe(
      document.replace('-->\n<!-- /one', () => '-->\n\nnew $& text\n\n<!-- /one'),
    );
  });

  it('changes nothing where the text is there already', () => {
    expect(withSection(document, 'two', 'old $& text')).toBe(document);
  });

  it('throws where there is no such section', () => {
    expect(() => withSection(document, 'three', 'text')).toThrow('no section three');
  });
});
