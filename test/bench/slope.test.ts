import { describe, expect, it } from 'vitest';
import { slope } from './slope.ts';

describe('slope', () => {
  it.each([
    [
      'a line',
      [
        [3, 10],
        [4, 12],
        [6, 16],
      ],
      2,
    ],
    [
      'a level line',
      [
        [3, 10],
        [4, 10],
        [6, 10],
      ],
      0,
    ],
    [
      'points around a line',
      [
        [0, 1],
        [1, 0],
        [2, 3],
        [3, 2],
      ],
      0.6,
    ],
  ] as const)('is that of %s', (_what, points, expected) => {
    expect(slope(points)).toBeCloseTo(expected, 12);
  });
});
