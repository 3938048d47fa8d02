/**
 * The drivers of processor time: how often each process is woken, and what it asks of the servers. Read from the metrics that every service has,
 * and from Postgres's own count of transactions.
 */
import type { Pipeline } from '../../support/pipeline.ts';
import { pipelineServices, type ServiceName } from '../../support/stack.ts';
import { withDatabase } from '../../support/with-database.ts';

/** So far, by what is counted: `loop turns of ingress`, `Kafka Fetch of dedup`, `Postgres statements of projector-ahead`. */
export type Drivers = Readonly<Record<string, number>>;

const timeoutMs = 5_000;

export async function readDrivers(
  pipeline: Pipeline,
  services: readonly ServiceName[] = pipelineServices,
): Promise<Drivers> {
  const drivers: Record<string, number> = {};
  const add = (name: string, count: number): void => void (drivers[name] = (drivers[name] ?? 0) + count);
  for (const service of services) {
    for (const { name, labels, value } of await samplesOf(pipeline.metricsUrl(service))) {
      if (name === 'hookline_event_loop_turns_total') add(`loop turns of ${service}`, value);
      if (name === 'hookline_kafka_requests_total') add(`Kafka ${labelOf('kind', labels)} of ${service}`, value);
      if (name === 'hookline_postgres_query_seconds_count')
        add(`Postgres statements of ${labelOf('pool', labels).replace('hookline-', '')}`, value);
      if (name === 'hookline_redis_calls_total') add(`Redis calls of ${service}`, value);
    }
  }
  add('Postgres transactions', await transactionsOf(pipeline.stack.databaseUrl));
  return drivers;
}

/** The difference of each between two readings, for each of so many; a driver below one for a thousand is left out. */
export function driversEach(before: Drivers, after: Drivers, count: number): [name: string, each: number][] {
  return Object.entries(after)
    .map(([name, total]): [string, number] => [name, (total - (before[name] ?? 0)) / count])
    .filter(([, each]) => each >= 0.001);
}

interface Sample {
  name: string;
  labels: string;
  value: number;
}

async function samplesOf(metricsUrl: string): Promise<Sample[]> {
  const answer = await fetch(metricsUrl, { signal: AbortSignal.timeout(timeoutMs) });
  if (!answer.ok) throw new Error(`${metricsUrl} answered ${answer.status}`);
  return (await answer.text()).split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels, value: Number(value) }];
  });
}

const labelOf = (name: string, labels: string): string =>
  new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? 'no kind';

/** Transactions of all users of this database, committed and rolled back. Postgres counts with a delay of about a second. */
const transactionsOf = (databaseUrl: string): Promise<number> =>
  withDatabase(databaseUrl, async (postgres) => {
    const [row] = await postgres.query<{ count: string }>(
      'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row?.count ?? 0);
  });
