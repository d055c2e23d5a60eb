import { expect, it } from 'vitest';
import { slope } from './slope.ts';

// Written as text, because the formatter puts each pair of an array on four lines.
it.each([
  ['a rising line', '3,10 4,12 6,16', 2],
  ['a level line', '3,10 4,10 6,10', 0],
  ['points around a line', '0,1 1,0 2,3 3,2', 0.6],
])('slope returns that of %s', (_what, points, expected) => {
  const pairs = points.split(' ').map((pair) => pair.split(',').map(Number) as [number, number]);

  expect(slope(pairs)).toBeCloseTo(expected, 12);
});
