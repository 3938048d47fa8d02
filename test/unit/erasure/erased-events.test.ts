import { createErasedEvents, recentMs } from '#lib/erasure';
import type { Query } from '#lib/postgres';
import { createManualClock, silentLogger } from '#lib/runtime';

/** A view of what was erased: it reads what is kept in memory, and asks for what is old. */
function createWorld(kept: readonly string[], old: readonly string[] = []) {
  const clock = createManualClock();
  const questions: unknown[][] = [];
  const rowOf = (id: string) => ({ tenant: 't', id, changed_at: '2026-01-01T00:00:00.000000Z', buried: false });
  const position = { snapshot: '1:1:', server: 's', backend: 1, as_of: '2026-01-01T00:00:00.000000Z' };
  let pages = 0;
  const query = (async (text: string, values: readonly unknown[] = [], name?: string) => {
    if (name === 'find-erased') {
      questions.push([...values]);
      return old.filter((id) => String(values[1]).includes(`"${id}"`)).map((id) => ({ tenant: 't', id }));
    }
    if (text.includes('bytes_before')) return (pages += 1) === 1 ? kept.map(rowOf) : [];
    return [{ ...position, id: null }];
  }) as Query['query'];
  const erased = createErasedEvents({ followPostgres: { query }, postgres: { query }, clock, log: silentLogger });
  const dated = (event_id: string, agoMs: number) => ({
    tenant: 't',
    event_id,
    since: (clock.nowMs() - agoMs) * 1_000,
  });
  return { erased, questions, dated };
}

test('what was erased lately is known without a question', async () => {
  const { erased, questions, dated } = createWorld(['evt_1']);
  await erased.start();
  const events = [dated('evt_1', 1_000), dated('evt_2', 1_000)];
  expect([...(await erased.among(events))]).toEqual([events[0]]);
  expect(erased.has({ tenant: 't', event_id: 'evt_1' })).toBe(true);
  expect(erased.has({ tenant: 'u', event_id: 'evt_1' })).toBe(false);
  expect(questions).toEqual([]);
  await erased.stop();
});

test('a record from before what is in memory is looked up', async () => {
  const { erased, questions, dated } = createWorld([], ['evt_old']);
  await erased.start();
  const events = [dated('evt_old', recentMs), dated('evt_young', recentMs / 2)];
  expect([...(await erased.among(events))]).toEqual([events[0]]);
  expect(questions).toHaveLength(1);
  await erased.stop();
});

test('of a deleted tenant everything is erased', async () => {
  const { erased, dated } = createWorld(['']);
  await erased.start();
  expect(erased.hasTenant('t')).toBe(true);
  expect((await erased.among([dated('evt_9', 0)])).size).toBe(1);
  await erased.stop();
});
