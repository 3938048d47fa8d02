/** A session that holds locks on one tenant's keys delays that tenant's webhooks, and no others. */
import { waitUntil } from '../../support/wait-until.ts';
import { recordOf, type TestRecord } from '../../unit/dedup/records.ts';
import { Crash, createWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => world.stopServices());
afterAll(() => world.stop());

const never = new AbortController().signal;
let partition = 0;

it.each([
  // An insert of the same key waits for it.
  ['changed', `UPDATE dedup_keys SET generation = generation WHERE tenant = 'held'`],
  // The row can be read, so the event is published again; its completion waits.
  ['locked', `SELECT 1 FROM dedup_keys WHERE tenant = 'held' FOR UPDATE`],
])('rows of a tenant are %s by an open transaction', async (what, locking) => {
  partition += 1;
  const given = (offset: number, tenant: string): TestRecord =>
    recordOf({
      topic: world.topics['webhooks.received'],
      partition,
      offset,
      tenant,
      id: `${what} ${offset}`,
      receivedAt: Date.now() * 1000,
    });
  const held = given(1, 'held');
  const dying = await world.startWorker({ crashAt: 'dedup.after-insert' });
  await expect(dying.handle([held], never)).rejects.toThrow(Crash);

  const others = [given(2, 'free'), given(3, 'other')];
  const worker = await world.startWorker();
  await world.whileDatabaseHangs(async () => {
    const beganAtMs = performance.now();
    await worker.handle([held, ...others], never);
    expect(performance.now() - beganAtMs).toBeLessThan(2_000);
    expect(others.map((record) => record.isDone())).toEqual([true, true]);
    expect(held.isDone()).toBe(false);
  }, locking);
  await waitUntil('the held record is done', () => held.isDone());
});
