/**
 * The values of one metric, as `/metrics` (Prometheus text format) has them now.
 *
 * @returns the value of the series with exactly these labels; 0 for one that is not there yet
 */
export async function readCounters(url: string, metric: string): Promise<(labels: Record<string, string>) => number> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const series = new Map(
    (await response.text()).split('\n').flatMap((line) => {
      const [, name, labels = '', value] = /^([a-z_:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return name === metric ? [[labels.split(',').sort().join(), Number(value)] as const] : [];
    }),
  );
  return (labels) => {
    const wanted = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    return series.get(wanted.sort().join()) ?? 0;
  };
}
