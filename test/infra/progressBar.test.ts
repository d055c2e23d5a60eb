import { describe, expect, it } from 'vitest';
import { progressBar } from '../../infra/local/progressBar.ts';

const progress = { writtenPets: 45_000, totalPets: 100_000, elapsedMs: 7_000 };

describe('progressBar', () => {
  it('shows count, percent and pets per second beside a bar as wide as there is room', () => {
    expect(progressBar(progress, 80)).toBe(
      `${'█'.repeat(14)}${'░'.repeat(18)}   45,000 of 100,000 pets   45 %   6,429 pets/s`,
    );
  });

  it.each([20, 40, 60, 80, 200])('leaves the last of %i columns free', (columns) => {
    expect(progressBar(progress, columns).length).toBeLessThan(columns);
  });

  it('leaves the bar out where it would be too short to read', () => {
    expect(progressBar(progress, 50)).toBe(' 45,000 of 100,000 pets   45 %   6,429 pets/s');
  });

  it('is as long at the beginning as at the end', () => {
    const lengths = [0, 1, 50_000, 100_000].map(
      (writtenPets) => progressBar({ ...progress, writtenPets }, 80).length,
    );

    expect(new Set(lengths)).toEqual(new Set([79]));
  });
});
