/**
 * The current values of one metric on `/metrics` (Prometheus text format).
 *
 * @returns the value of the series with exactly these labels; 0 for a series that does not exist yet
 */
export async function readCounters(url: string, metric: string): Promise<(labels: Record<string, string>) => number> {
  const series = await seriesAt(url, metric);
  return (labels) => {
    const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    return series.get(wanted.sort().join()) ?? 0;
  };
}

/** The sum of all its series; 0 without any. */
export async function sumOfMetric(url: string, metric: string): Promise<number> {
  return (await seriesAt(url, metric)).values().reduce((sum, value) => sum + value, 0);
}

/** By their labels, sorted. */
async function seriesAt(url: string, metric: string): Promise<Map<string, number>> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return new Map(
    (await response.text()).split('\n').flatMap((line) => {
      const [, name, labels = '', value] = /^([a-z_:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return name === metric ? [[labels.split(',').sort().join(), Number(value)] as const] : [];
    }),
  );
}
