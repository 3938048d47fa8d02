import { costOfDedup } from './cost-of-dedup.ts';
import { growthBench, type Growing } from './growth-bench.ts';

const nothingToEnd: Pick<Growing, 'end'> = { end: async () => undefined };

export const partitionsBench = growthBench({
  name: 'partitions',
  of: 'partitions',
  unit: 'µs of dedup a record',
  small: 1,
  between: [3, 6],
  large: 12,
  turns: 3,
  numbers: { records: 50_000, bytes: 2_048 },
  setUp: 'one dedup process, one broker; webhooks that wait, a fifth of them repetitions',
  begin: async ({ records, bytes }) => ({
    costAt: (partitions, turn) => costOfDedup(records, { turn, bytes, partitions }),
    ...nothingToEnd,
  }),
});

export const processesBench = growthBench({
  name: 'processes',
  of: 'processes',
  unit: 'µs of dedup a record',
  small: 1,
  between: [],
  large: 2,
  turns: 3,
  numbers: { records: 50_000, bytes: 2_048 },
  setUp: 'dedup processes that share 4 partitions of one broker; webhooks that wait, a fifth of them repetitions',
  begin: async ({ records, bytes }) => ({
    costAt: (processes, turn) => costOfDedup(records, { turn, bytes, partitions: 4, processes }),
    ...nothingToEnd,
  }),
});

export const backlogBench = growthBench({
  name: 'backlog',
  of: 'webhooks that wait',
  unit: 'µs of dedup a record',
  small: 50_000,
  between: [250_000],
  large: 1_000_000,
  turns: 1,
  numbers: { bytes: 512 },
  setUp: 'one dedup process, one broker, 3 partitions; webhooks that wait, a fifth of them repetitions',
  begin: async ({ bytes }) => ({
    costAt: (records, turn) => costOfDedup(records, { turn, bytes, partitions: 3 }),
    ...nothingToEnd,
  }),
});

export const knownKeysBench = growthBench({
  name: 'known-keys',
  of: 'rows of keys that are known',
  unit: 'µs of dedup a record',
  small: 1_000,
  between: [100_000, 1_000_000],
  large: 10_000_000,
  turns: 1,
  numbers: { records: 50_000, bytes: 2_048 },
  setUp:
    'one dedup process, one broker, 3 partitions; the rows are in Postgres, which is asked for what Redis does not know',
  begin: async ({ records, bytes }) => ({
    costAt: (rows, turn) => costOfDedup(records, { turn, bytes, partitions: 3, knownRows: rows }),
    ...nothingToEnd,
  }),
});
