import { createManualClock, silentLogger } from '#lib/runtime';
import type { PartitionWorker } from '../../../libs/kafka/consuming/partition-worker.ts';
import { locateStarts } from '../../../libs/kafka/consuming/positions/start-offsets.ts';

function setUp(committed: [number, bigint][], lows: [number, bigint][] | 'unknown') {
  const clock = createManualClock();
  const answers = { committed, lows, away: false };
  const opened: string[] = [];
  const reported: string[] = [];
  const worker = (partition: number) => {
    let state = 'locating';
    return {
      topic: 't',
      partition,
      state: () => state,
      drop: () => (state = 'dropped'),
      open: (at: bigint, isCommitted: boolean) => {
        state = 'open';
        opened.push(`${partition} at ${at}${isCommitted ? '' : ', to be committed'}`);
      },
    } as unknown as PartitionWorker;
  };
  const workers = [0, 1, 2].map(worker);
  const stopping = new AbortController();
  const locating = locateStarts(
    {
      workers,
      offsets: {
        committed: async () => {
          if (answers.away) throw new Error('coordinator away');
          return new Map(answers.committed);
        },
        ends: async () => {
          if (answers.lows === 'unknown') throw new Error('a leader is away');
          return new Map(answers.lows.map(([partition, low]) => [partition, { low, high: 99n }]));
        },
      },
      open: (each, at, isCommitted) => each.open(at, isCommitted),
      report: ({ partition }, { kind }) => reported.push(`${partition} ${kind}`),
      clock,
      log: silentLogger,
    },
    stopping.signal,
  );
  return { clock, answers, opened, reported, workers, stopping, locating };
}

test('a partition is read from the committed offset, or else from its first record', async () => {
  const { opened, locating } = setUp(
    [[0, 17n]],
    [
      [0, 3n],
      [1, 4n],
      [2, 0n],
    ],
  );
  await locating;
  expect(opened).toEqual(['0 at 17', '1 at 4, to be committed', '2 at 0, to be committed']);
});

test('partitions with a committed offset do not wait for those whose log can’t be asked about', async () => {
  const { clock, answers, opened, locating } = setUp([[1, 17n]], 'unknown');
  await clock.advance(600);
  expect(opened).toEqual(['1 at 17']);
  answers.lows = [
    [0, 1n],
    [2, 2n],
  ];
  await clock.advance(600);
  await locating;
  expect(opened).toEqual(['1 at 17', '0 at 1, to be committed', '2 at 2, to be committed']);
});

test('a partition that was lost in the meantime is not opened, and the search ends with the consumer', async () => {
  const { clock, answers, opened, workers, stopping, locating } = setUp([[1, 17n]], 'unknown');
  await clock.advance(100);
  workers[0]?.drop();
  answers.lows = [[0, 1n]];
  await clock.advance(2_000);
  expect(opened).toEqual(['1 at 17']);
  stopping.abort();
  await locating;
});

test('a committed offset that the log does not have is reported, and its first record is read', async () => {
  const { opened, reported, locating } = setUp(
    [
      [0, 17n],
      [1, 100n],
      [2, 3n],
    ],
    [
      [0, 30n],
      [1, 4n],
      [2, 3n],
    ],
  );
  await locating;
  expect(opened).toEqual(['0 at 30, to be committed', '1 at 4, to be committed', '2 at 3']);
  expect(reported).toEqual(['0 lost', '1 beyond_end', '2 within']);
});
