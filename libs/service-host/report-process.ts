/**
 * Tells the operator which processes there are (`GET /v1/system`): each service writes a row every few seconds, with what its own metrics say
 * of its dependencies and its consumer lag, and removes it at an orderly stop. A row that is not written any more is of a process that was
 * killed or has no way to Postgres; others remove it later. It works the same for pods and for services in one process.
 */
import { hostname } from 'node:os';
import { consumerMetrics } from '#lib/kafka';
import type { Query } from '#lib/postgres';
import { createPart, formatMicros, inRounds, type Part } from '#lib/runtime';
import { dependencyMetrics, type Metrics } from '#lib/telemetry';
import type { ServiceContext } from './service-definition.ts';

/** The lag of the partitions of a topic that a process has. */
export interface ReportedLag {
  group: string;
  topic: string;
  partitions: number;
  records: number;
  seconds: number;
}

const everyMs = 5_000;
const forgottenAfter = '10 minutes';

const writeRow = `
  WITH silent AS (
    DELETE FROM processes
     WHERE instance IN (SELECT instance FROM processes
                         WHERE beat_at < clock_timestamp() - interval '${forgottenAfter}' AND instance <> $1
                           FOR UPDATE SKIP LOCKED)
  )
  INSERT INTO processes (instance, service, host, pid, version, started_at, beat_at, ready, dependencies, lag)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp(), $7, $8, $9)
  ON CONFLICT (instance) DO UPDATE
     SET beat_at = EXCLUDED.beat_at, ready = EXCLUDED.ready, dependencies = EXCLUDED.dependencies, lag = EXCLUDED.lag`;

/** Parts that report the process; none where nobody hosts the service: in tests. */
export function reportProcess(
  { about, metrics, clock, log }: Pick<ServiceContext, 'about' | 'metrics' | 'clock' | 'log'>,
  postgres: Query,
): Part[] {
  if (about === undefined) return [];
  const { instance, service, version, startedAtMs, isReady } = about;
  const facts = [instance, service, hostname(), process.pid, version, formatMicros(Math.round(startedAtMs * 1_000))];

  async function write(): Promise<void> {
    const [up, lag] = [await dependenciesOf(metrics), await lagOf(metrics)];
    await postgres.query(writeRow, [...facts, isReady(), JSON.stringify(up), JSON.stringify(lag)]);
  }
  const rounds = inRounds(write, { name: 'process report', everyMs, clock, log });
  return [
    createPart('process report', rounds.start, async () => {
      await rounds.stop();
      // Postgres may be away: then the row is forgotten like that of a killed process.
      await postgres.query('DELETE FROM processes WHERE instance = $1', [instance]).catch(() => undefined);
    }),
  ];
}

interface Series {
  labels: Readonly<Partial<Record<string, string | number>>>;
  value: number;
}

const seriesOf = async (metrics: Metrics, { name }: { name: string }): Promise<readonly Series[]> =>
  (await metrics.getSingleMetric(name)?.get())?.values ?? [];

async function dependenciesOf(metrics: Metrics): Promise<Record<string, boolean>> {
  const series = await seriesOf(metrics, dependencyMetrics.up);
  return Object.fromEntries(series.map(({ labels, value }) => [String(labels['dependency']), value === 1]));
}

async function lagOf(metrics: Metrics): Promise<ReportedLag[]> {
  const lags = new Map<string, ReportedLag>();
  const add = ({ labels }: Series, more: Partial<Pick<ReportedLag, 'partitions' | 'records' | 'seconds'>>): void => {
    const [group, topic] = [String(labels['group']), String(labels['topic'])];
    const lag = lags.get(`${group} ${topic}`) ?? { group, topic, partitions: 0, records: 0, seconds: 0 };
    lags.set(`${group} ${topic}`, lag);
    lag.partitions += more.partitions ?? 0;
    lag.records += more.records ?? 0;
    lag.seconds = Math.max(lag.seconds, more.seconds ?? 0);
  };
  for (const each of await seriesOf(metrics, consumerMetrics.lagRecords))
    add(each, { partitions: 1, records: each.value });
  for (const each of await seriesOf(metrics, consumerMetrics.lagSeconds)) add(each, { seconds: each.value });
  return [...lags.values()];
}
