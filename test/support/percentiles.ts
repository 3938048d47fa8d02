/** By the nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const describeLatencies = (values: readonly number[]): string =>
  [0.5, 0.9, 0.99, 0.999].map((share) => `p${share * 100} ${percentile(values, share).toFixed(1)} ms`).join('  ');
