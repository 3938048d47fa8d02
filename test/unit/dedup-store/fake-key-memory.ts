import { bodyTagOf, type CompletedKey, eventIdEndOf, type KeyMemory } from '#lib/dedup-store';
import { AppError } from '#lib/runtime';

export interface FakeKeyMemory extends KeyMemory {
  /** refusing: nothing is carried out. late: carried out, but no answer comes. */
  state: 'up' | 'refusing' | 'late';
  calls: string[];
  flushAll(): void;
  /** `SET key id NX GET`, which the store does without: for mutants. Undefined where the key was free, or no answer came. */
  claim(key: Buffer, eventId: string): string | undefined;
}

export function createFakeKeyMemory(nowMs: () => number): FakeKeyMemory {
  const known = new Map<string, CompletedKey>();
  const claims = new Map<string, string>();

  const call = <T>(name: string, work: () => T): T => {
    fake.calls.push(name);
    if (fake.state === 'refusing') throw new AppError('redis_unavailable', 'the fake is away');
    const result = work();
    if (fake.state === 'late') throw new AppError('redis_unavailable', 'the fake’s answer is late');
    return result;
  };
  const liveRow = (name: string): CompletedKey | undefined => {
    const row = known.get(name);
    return row === undefined || row.expiresAt <= nowMs() * 1000 ? undefined : row;
  };
  const fake: FakeKeyMemory = {
    state: 'up',
    calls: [],
    flushAll() {
      known.clear();
      claims.clear();
    },
    recall: async (keys) =>
      call('recall', () =>
        keys.map((key) => {
          const row = liveRow(key.toString('hex'));
          if (row === undefined) return undefined;
          const { eventId, bodyHash, expiresAt } = row;
          return {
            holder: { eventId: null, eventIdEnd: eventIdEndOf(eventId), bodyTag: bodyTagOf(bodyHash) },
            expiresAt,
          };
        }),
      ),
    remember: async (completed) =>
      call('remember', () => {
        for (const row of completed) {
          const name = row.key.toString('hex');
          if (liveRow(name) === undefined) known.set(name, row);
        }
      }),
    claim(key, eventId) {
      const name = key.toString('hex');
      if (fake.state === 'refusing') return undefined;
      const holder = claims.get(name);
      if (holder === undefined) claims.set(name, eventId);
      return fake.state === 'up' ? holder : undefined;
    },
  };
  return fake;
}
