/** How often an answer took so many whole milliseconds; what took longer is in the last one. */
export type Latencies = number[];

const buckets = 20_000;

export const noLatencies = (): Latencies => [];

export function addLatency(latencies: Latencies, ms: number): void {
  const bucket = Math.min(buckets, Math.floor(ms));
  latencies[bucket] = (latencies[bucket] ?? 0) + 1;
}

export function sumLatencies(all: readonly Latencies[]): Latencies {
  const sum = noLatencies();
  for (const latencies of all)
    for (const [ms, count] of latencies.entries()) if (count) sum[ms] = (sum[ms] ?? 0) + count;
  return sum;
}

/** The latency in milliseconds that this share of answers did not exceed; 0 without answers. */
export function quantile(latencies: Latencies, part: number): number {
  const total = latencies.reduce((sum, count) => sum + (count ?? 0), 0);
  let seen = 0;
  for (const [ms, count] of latencies.entries()) {
    seen += count ?? 0;
    if (seen > 0 && seen >= part * total) return ms;
  }
  return 0;
}
