import { silentLogger } from '#lib/runtime';
import { createOffsetCommitter } from '../../../libs/kafka/consuming/offset-committer.ts';
import type { PartitionWorker } from '../../../libs/kafka/consuming/partition-worker.ts';

/** A worker as the committer sees it. */
function worker(partition: number, committable: bigint | undefined) {
  const each = {
    topic: 't',
    partition,
    due: committable,
    committable: () => each.due,
    committed: (offset: bigint) => {
      if (each.due === offset) each.due = undefined;
    },
  };
  return each as typeof each & PartitionWorker;
}

test('what is due of the assigned partitions goes out as one commit, once', async () => {
  const workers = [worker(0, 5n), worker(1, undefined), worker(2, 9n)];
  const committer = createOffsetCommitter(() => workers, silentLogger);
  const commits: unknown[] = [];
  committer.commitBy(async (offsets) => void commits.push(offsets));
  await committer.commit();
  await committer.commit();
  expect(commits).toEqual([
    {
      topics: [
        {
          topic: 't',
          partitions: [
            { partition: 0, offset: '5' },
            { partition: 2, offset: '9' },
          ],
        },
      ],
    },
  ]);
});

test('a commit that failed is due again', async () => {
  const workers = [worker(0, 5n)];
  const committer = createOffsetCommitter(() => workers, silentLogger);
  let tries = 0;
  committer.commitBy(async () => {
    tries += 1;
    if (tries === 1) throw new Error('rebalancing');
  });
  await committer.commit();
  expect(workers[0]?.due).toBe(5n);
  await committer.commit();
  expect([tries, workers[0]?.due]).toEqual([2, undefined]);
});

test('one commit waits for the other: the later one is never overtaken', async () => {
  const workers = [worker(0, 5n)];
  const committer = createOffsetCommitter(() => workers, silentLogger);
  const answers: (() => void)[] = [];
  const offsets: string[] = [];
  committer.commitBy((commit) => {
    offsets.push(commit?.topics[0]?.partitions[0]?.offset ?? '');
    return new Promise((resolve) => answers.push(resolve));
  });
  const first = committer.commit();
  await Promise.resolve();
  if (workers[0] !== undefined) workers[0].due = 6n;
  const second = committer.commit();
  await Promise.resolve();
  expect(offsets).toEqual(['5']);
  answers[0]?.();
  await first;
  answers[1]?.();
  await second;
  expect(offsets).toEqual(['5', '6']);
});

test('nothing is committed while a join is under way, nor after the member has left its group', async () => {
  const workers = [worker(0, 5n)];
  const committer = createOffsetCommitter(() => workers, silentLogger);
  let commits = 0;
  committer.commitBy(async () => void (commits += 1));
  committer.suspend();
  await committer.commit();
  committer.forget();
  committer.resume();
  await committer.commit();
  expect(commits).toBe(0);
});
