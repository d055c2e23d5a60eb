/** The middle of the values; of an even number of them the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const below = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  const above = sorted[Math.ceil((sorted.length - 1) / 2)] ?? Number.NaN;
  return (below + above) / 2;
}
