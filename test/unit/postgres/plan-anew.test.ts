import { createReplanning } from '../../../libs/postgres/plan-anew.ts';

function sessionAt(answer: () => Promise<unknown> = async () => undefined) {
  let nowMs = 1_000_000;
  const asked: string[] = [];
  const client = {
    query(text: string) {
      asked.push(text);
      return answer();
    },
  };
  const { afterUse } = createReplanning(() => nowMs);
  return {
    asked,
    /** Used once more, for so long. */
    use(tookMs: number): Promise<boolean> {
      const takenAtMs = nowMs;
      nowMs += tookMs;
      return afterUse(client, takenAtMs);
    },
  };
}

test('a session that took long plans anew, and one that did not keeps its plans', async () => {
  const { use, asked } = sessionAt();
  expect(await use(99)).toBe(true);
  expect(asked).toEqual([]);
  expect(await use(100)).toBe(true);
  expect(asked).toEqual(['DISCARD PLANS']);
});

test('it plans anew every two seconds at most, however long all takes', async () => {
  const { use, asked } = sessionAt();
  for (let times = 0; times < 100; times += 1) await use(1_000);
  expect(asked).toHaveLength(50);
});

test('a session that can’t is given up', async () => {
  const { use } = sessionAt(() => Promise.reject(new Error('the connection has ended')));
  expect(await use(200)).toBe(false);
});
