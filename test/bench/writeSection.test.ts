import { describe, expect, it } from 'vitest';
import { withSection } from './writeSection.ts';

const document =
  '# Title\n\n<!-- one -->\n<!-- /one -->\n\n<!-- two -->\n\nold $& text\n\n<!-- /two -->\n';

describe('withSection', () => {
  it('fills an empty section and changes nothing else', () => {
    expect(withSection(document, 'one', 'new $& text')).toBe(
      document.replace('-->\n<!-- /one', () => '-->\n\nnew $& text\n\n<!-- /one'),
    );
  });

  it('changes nothing if the text is the same', () => {
    expect(withSection(document, 'two', 'old $& text')).toBe(document);
  });

  it('throws if there is no such section', () => {
    expect(() => withSection(document, 'three', 'text')).toThrow('no section three');
  });
});
