import type { Metrics } from '#lib/telemetry';

/** The present values of a metric, by labels: `pool="one",state="idle"`. A histogram’s series are left out. */
export async function seriesOf(registry: Metrics, name: string): Promise<Record<string, number>> {
  const { values = [] } = (await registry.getSingleMetric(name)?.get()) ?? {};
  return Object.fromEntries(
    values.map(({ labels, value }) => [
      Object.entries(labels)
        .map(([label, text]) => `${label}="${text}"`)
        .join(),
      value,
    ]),
  );
}
