import { type Dashboard, graph, quantileBy, quantilesOf, rateOf, stat, table } from './panel.ts';

const lag = 'max by (group, topic, partition) (hookline_consumer_lag_records)';

export const stores: Dashboard = {
  name: 'stores',
  title: 'Kafka, Redis, Postgres',
  description: 'The stores as seen from here: whether they answer, how fast, and what becomes of them.',
  rows: [
    {
      title: 'Do they answer?',
      height: 4,
      panels: ['kafka', 'postgres', 'redis'].map((dependency) =>
        stat({
          title: dependency === 'redis' ? 'Redis' : dependency === 'kafka' ? 'Kafka' : 'Postgres',
          description: 'The part of each service’s processes that it answers.',
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
          title: 'Produce requests',
          description: 'Time of one request for one partition, by service, p99.',
          unit: 's',
          width: 8,
          queries: [quantileBy('hookline_kafka_produce_seconds', 'job')],
        }),
        graph({
          title: 'What came of them',
          description: 'unknown: failed or unanswered, and sent again. refused: the broker will never take it.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_kafka_produce_requests_total', 'outcome'), legend: '{{outcome}}' }],
        }),
        graph({
          title: 'Partitions in trouble',
          description: 'Under-replicated: a broker is away or slow. Leaderless: they can be neither written nor read.',
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
          title: 'Records to do',
          description: 'Beyond the committed offset.',
          unit: 'short',
          width: 6,
          queries: [{ expr: `sum by (group, topic) (${lag})`, legend: '{{group}}: {{topic}}' }],
        }),
        table({
          title: 'Partitions that are behind most',
          description: 'One partition alone: one key, one endpoint or one record holds it up.',
          unit: 'short',
          width: 6,
          query: { expr: `topk(10, ${lag})`, legend: '' },
          columns: { group: 'Group', topic: 'Topic', partition: 'Partition' },
          value: 'Records',
        }),
        graph({
          title: 'Joins of groups',
          description: 'Within ten minutes; each is a rebalance, for which the group stands still for seconds.',
          unit: 'short',
          width: 6,
          queries: [
            { expr: 'sum by (group) (increase(hookline_consumer_joins_total[10m]))', legend: '{{group}}' },
            {
              expr: 'sum by (group) (increase(hookline_consumer_rebuilds_total[10m]))',
              legend: '{{group}}: built anew',
            },
          ],
        }),
        graph({
          title: 'Consumers without their group',
          description:
            'For how long they have heard nothing of it; 0 for a member. After 45 s one is built anew, if Kafka answers others.',
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
          title: 'Calls',
          description:
            'One call may have hundreds of keys. refused: not tried, because Redis did not answer a moment ago.',
          unit: 'cps',
          width: 12,
          queries: [{ expr: rateOf('hookline_redis_calls_total', 'job, outcome'), legend: '{{job}}: {{outcome}}' }],
        }),
        graph({
          title: 'Time of a call',
          description: 'Of all services. Dedup gives Redis 200 ms, ingress and api 50 ms; then they go on without it.',
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
          title: 'Statements, p99',
          description: 'The wait for a connection included, but for those within a transaction.',
          unit: 's',
          width: 8,
          queries: [quantileBy('hookline_postgres_query_seconds', 'pool')],
          logarithmic: true,
        }),
        graph({
          title: 'Connections in use',
          description: 'Part of each pool; at 1 callers wait.',
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
          title: 'Callers that wait',
          description: 'For a connection of the pool.',
          unit: 'short',
          width: 8,
          queries: [{ expr: 'sum by (pool) (hookline_postgres_waiting)', legend: '{{pool}}' }],
        }),
        graph({
          title: 'Statements',
          description: 'BEGIN and COMMIT among them.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_postgres_query_seconds_count', 'pool'), legend: '{{pool}}' }],
        }),
        graph({
          title: 'Failures',
          description: 'store_unavailable is tried again; data_invalid is one record’s; bug is ours.',
          unit: 'cps',
          width: 8,
          queries: [{ expr: rateOf('hookline_postgres_errors_total', 'pool, code'), legend: '{{pool}}: {{code}}' }],
        }),
        graph({
          title: 'Clocks',
          description: 'How far Postgres’s is ahead of each process’s.',
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
          title: 'Size',
          description: 'And what it may grow to: HOOKLINE_DATABASE_MAX_BYTES, 0 where that is not set.',
          unit: 'bytes',
          width: 8,
          queries: [
            { expr: 'max(hookline_database_bytes)', legend: 'database' },
            { expr: 'max(hookline_database_max_bytes)', legend: 'bound' },
          ],
        }),
        graph({
          title: 'Largest tables',
          description: 'With their partitions and indexes.',
          unit: 'bytes',
          width: 8,
          queries: [{ expr: 'topk(8, max by (table) (hookline_database_table_bytes))', legend: '{{table}}' }],
          stacked: true,
        }),
        graph({
          title: 'Oldest transaction',
          description: 'What keeps vacuum from removing rows. Ours last seconds.',
          unit: 's',
          width: 8,
          queries: [{ expr: 'max(hookline_database_oldest_snapshot_seconds)', legend: 'age' }],
          limit: 600,
        }),
        stat({
          title: 'Sessions',
          description: 'Part of the server’s max_connections.',
          unit: 'percentunit',
          width: 4,
          queries: [
            { expr: 'max(hookline_database_sessions) / max(hookline_database_sessions_max)', legend: 'sessions' },
          ],
          thresholds: { warn: 0.7, bad: 0.9 },
        }),
        stat({
          title: 'Transaction ids',
          description: 'Since the oldest row that is not frozen; at two thousand million nothing can be written.',
          unit: 'short',
          width: 4,
          queries: [{ expr: 'max(hookline_database_transaction_id_age)', legend: 'age' }],
          thresholds: { warn: 4e8, bad: 1e9 },
        }),
        stat({
          title: 'Retention succeeded',
          description: 'How long ago the last round ended in which nothing failed; one is due every hour.',
          unit: 's',
          width: 4,
          queries: [{ expr: 'time() - max(hookline_retention_last_success_timestamp_seconds > 0)', legend: 'ago' }],
          thresholds: { warn: 7200, bad: 10_800 },
        }),
        stat({
          title: 'Days made ahead',
          description: 'Partitions for days to come; seven where all is well.',
          unit: 'short',
          width: 6,
          queries: [{ expr: 'min by (table) (hookline_retention_days_ahead)', legend: '{{table}}' }],
          thresholds: { warn: 5, bad: 2, below: true },
        }),
        stat({
          title: 'Oldest day kept',
          description:
            'Of payloads and attempts; about HOOKLINE_PAYLOAD_RETENTION_DAYS in the long run, longer where open deliveries need it.',
          unit: 's',
          width: 6,
          queries: [{ expr: 'max by (table) (hookline_retention_oldest_day_seconds)', legend: '{{table}}' }],
        }),
      ],
    },
  ],
};
