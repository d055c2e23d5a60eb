import { describe, expect, it } from 'vitest';
import { nestingDepth } from '../../../../lib/http/middlewares/parseBody.ts';

describe('nestingDepth', () => {
  it.each([
    ['7', 0],
    ['[]', 1],
    ['{"a":{"b":[]}}', 3],
    ['[[[]],[]]', 3],
    ['[[],[],[],[]]', 2],
    ['{"a":{},"b":{},"c":{}}', 2],
    ['[{},[],{},[]]', 2],
    ['["[[[[", "}}]]", "\\"[["]', 1],
    ['[[[', 3],
  ])('of %s is %d', (text, depth) => {
    expect(nestingDepth(text)).toBe(depth);
  });
});
