import { type Dashboard, graph, quantileBy, quantilesOf, rateOf, stat, table } from './panel.ts';

const lag = 'max by (group, topic, partition) (hookline_consumer_lag_records)';

export const stores: Dashboard = {
  name: 'stores',
  title: 'Kafka, Redis, Postgres',
  description: 'Availability, latency and capacity of Kafka, Redis and Postgres, as Hookline sees them.',
  rows: [
    {
      title: 'Availability',
      height: 4,
      panels: ['kafka', 'postgres', 'redis'].map((dependency) =>
        stat({
          title: dependency === 'redis' ? 'Redis' : dependency === 'kafka' ? 'Kafka' : 'Postgres',
          description: 'Share of the processes of each service that get answers.',
          unit: 'percentunit',
          width: 8,
          queries: [{ expr: `avg by (job) (hookline_dependency_up{dependency="${dependency}"})`, legend: '{{job}}' }],
          thresholds: { warn: 1, bad: 0.01, below: true },
        }),
      ),
    },
    {
      title: 'Kafka',
      height: 8,
      panels: [
        graph({
          title: 'Produce latency p99',
          description: 'Time of one produce request, by service.',
          unit: 's',
          width: 8,
          queries: [quantileBy('hookline_kafka_produce_seconds', 'job')],
        }),
        graph({
          title: 'Produce requests by outcome',
          description: 'unknown: failed or unanswered, and retried. refused: rejected by the broker for good.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_kafka_produce_requests_total', 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Unhealthy partitions',
          description:
            'Under-replicated: a broker is down or slow. Leaderless: the partition can be neither written nor read.',
          unit: 'short',
          width: 8,
          queries: [
            {
              expr: 'max by (topic) (hookline_kafka_under_replicated_partitions)',
              legend: '{{topic}}: under-replicated',
            },
            { expr: 'max by (topic) (hookline_kafka_leaderless_partitions)', legend: '{{topic}}: leaderless' },
          ],
        }),
        graph({
          title: 'Consumer lag (records)',
          description: 'Records after the committed offset, by group and topic.',
          unit: 'short',
          width: 6,
          queries: [{ expr: `sum by (group, topic) (${lag})`, legend: '{{group}}: {{topic}}' }],
        }),
        table({
          title: 'Partitions with the highest lag',
          description: 'If only one partition lags, a single key, endpoint or record is blocking it.',
          unit: 'short',
          width: 6,
          query: { expr: `topk(10, ${lag})`, legend: '' },
          columns: { group: 'Group', topic: 'Topic', partition: 'Partition' },
          value: 'Records',
        }),
        graph({
          title: 'Group joins and rebuilt consumers',
          description: 'Within ten minutes. Each join is a rebalance, which stops the group for seconds.',
          unit: 'short',
          width: 6,
          queries: [
            { expr: 'sum by (group) (increase(hookline_consumer_joins_total[10m]))', legend: '{{group}}' },
            {
              expr: 'sum by (group) (increase(hookline_consumer_rebuilds_total[10m]))',
              legend: '{{group}}: rebuilt',
            },
          ],
        }),
        graph({
          title: 'Consumers without a group',
          description:
            'Time since the last answer of the group coordinator; 0 for members. After 45 s the consumer is rebuilt, if the broker answers other requests.',
          unit: 's',
          width: 6,
          queries: [{ expr: 'max by (group) (hookline_consumer_without_group_seconds)', legend: '{{group}}' }],
        }),
      ],
    },
    {
      title: 'Redis',
      height: 7,
      panels: [
        graph({
          title: 'Redis calls by outcome',
          description:
            'A call may have hundreds of keys. refused: not sent, because Redis did not answer a moment ago.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf('hookline_redis_calls_total', 'job, outcome'), legend: '{{job}}: {{outcome}}' }],
        }),
        graph({
          title: 'Redis call latency',
          description:
            'All services. Time-outs: 200 ms in dedup, 50 ms in ingress and api; after that they continue without Redis.',
          unit: 's',
          width: 12,
          queries: quantilesOf('hookline_redis_call_seconds'),
        }),
      ],
    },
    {
      title: 'Postgres, by pool',
      height: 8,
      panels: [
        graph({
          title: 'Statement latency p99',
          description: 'Includes the wait for a connection, except for statements within a transaction.',
          unit: 's',
          width: 8,
          queries: [quantileBy('hookline_postgres_query_seconds', 'pool')],
          logarithmic: true,
        }),
        graph({
          title: 'Connections in use',
          description: 'Share of each pool; at 1 callers wait.',
          unit: 'percentunit',
          width: 8,
          queries: [
            {
              expr: 'max by (pool) (hookline_postgres_connections{state="in_use"} / on (instance, pool) hookline_postgres_connections_max)',
              legend: '{{pool}}',
            },
          ],
          limit: 1,
        }),
        graph({
          title: 'Callers waiting for a connection',
          description: 'By pool. Normal is 0.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'sum by (pool) (hookline_postgres_waiting)', legend: '{{pool}}' }],
        }),
        graph({
          title: 'Statements per second',
          description: 'Includes BEGIN and COMMIT.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_postgres_query_seconds_count', 'pool'), legend: '{{pool}}' }],
        }),
        graph({
          title: 'Errors by code',
          description: 'store_unavailable: retried. data_invalid: one record has bad data. bug: a defect of Hookline.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_postgres_errors_total', 'pool, code'), legend: '{{pool}}: {{code}}' }],
        }),
        graph({
          title: 'Clock skew',
          description: 'Difference between the clock of Postgres and the clock of each process.',
          unit: 's',
          width: 8,
          queries: [{ expr: 'abs(hookline_clock_skew_seconds)', legend: '{{job}} {{instance}}' }],
          limit: 1,
        }),
      ],
    },
    {
      title: 'Postgres, the database',
      height: 8,
      panels: [
        graph({
          title: 'Database size',
          description: 'limit: HOOKLINE_DATABASE_MAX_BYTES, or 0 if that is not set.',
          unit: 'bytes',
          width: 8,
          queries: [
            { expr: 'max(hookline_database_bytes)', legend: 'database' },
            { expr: 'max(hookline_database_max_bytes)', legend: 'limit' },
          ],
        }),
        graph({
          title: 'Largest tables',
          description: 'Partitions and indexes included.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'topk(8, max by (table) (hookline_database_table_bytes))', legend: '{{table}}' }],
          stacked: true,
        }),
        graph({
          title: 'Oldest transaction',
          description: 'An old transaction keeps vacuum from removing rows. Those of Hookline last seconds.',
          unit: 's',
          width: 8,
          queries: [{ expr: 'max(hookline_database_oldest_snapshot_seconds)', legend: 'age' }],
          limit: 600,
        }),
        stat({
          title: 'Sessions',
          description: 'Share of max_connections of the server.',
          unit: 'percentunit',
          width: 4,
          queries: [
            { expr: 'max(hookline_database_sessions) / max(hookline_database_sessions_max)', legend: 'sessions' },
          ],
          thresholds: { warn: 0.7, bad: 0.9 },
        }),
        stat({
          title: 'Transaction id age',
          description: 'Transactions since the oldest unfrozen row. At 2 billion Postgres accepts no more writes.',
          unit: 'short',
          width: 4,
          queries: [{ expr: 'max(hookline_database_transaction_id_age)', legend: 'age' }],
          thresholds: { warn: 4e8, bad: 1e9 },
        }),
        stat({
          title: 'Time since the last retention run',
          description: 'Time since the last run without errors. Retention runs every hour.',
          unit: 's',
          width: 4,
          queries: [{ expr: 'time() - max(hookline_retention_last_success_timestamp_seconds > 0)', legend: 'ago' }],
          thresholds: { warn: 7200, bad: 10_800 },
        }),
        stat({
          title: 'Partitions ahead (days)',
          description: 'Days for which partitions exist already. Normal is seven.',
          unit: 'short',
          width: 6,
          queries: [{ expr: 'min by (table) (hookline_retention_days_ahead)', legend: '{{table}}' }],
          thresholds: { warn: 5, bad: 2, below: true },
        }),
        stat({
          title: 'Oldest data kept',
          description:
            'Age of the oldest payloads and attempts: about HOOKLINE_PAYLOAD_RETENTION_DAYS, more while open deliveries need them.',
          unit: 's',
          width: 6,
          queries: [{ expr: 'max by (table) (hookline_retention_oldest_day_seconds)', legend: '{{table}}' }],
        }),
      ],
    },
  ],
};
