import { setTimeout as delay } from 'node:timers/promises';
import type { OnceOptions, OnceStore } from '../../packages/receiver/src/index.ts';
import { waitUntil } from './wait-until.ts';

/** The conformance suite of the stores of `@hookline/receiver`; run by the fake of the unit tests and by the real ones. */
export function describeOnceStore(create: (options: OnceOptions) => OnceStore): void {
  let made = 0;
  const newId = (): string => `msg_${++made}_${process.pid}_${Date.now()}`;
  const long = { leaseSeconds: 60, rememberSeconds: 600 };

  it('gives the lease of an id to one of many at once', async () => {
    const [first, second] = [create(long), create(long)];
    const id = newId();
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? first : second).claim(id, `token ${index}`)),
    );
    const counted = Map.groupBy(claims, ({ state }) => state);
    expect([counted.get('claimed')?.length, counted.get('leased')?.length]).toEqual([1, 19]);
  });

  it('says how much is left of a lease', async () => {
    const store = create(long);
    const id = newId();
    expect(await store.claim(id, 'a')).toEqual({ state: 'claimed' });
    const claim = await store.claim(id, 'b');
    if (claim.state !== 'leased') throw new Error(claim.state);
    expect(claim.remainingMs).toBeGreaterThan(0);
    expect(claim.remainingMs).toBeLessThanOrEqual(60_000);
  });

  it('claims again for the same token: a client may send a command twice', async () => {
    const store = create(long);
    const id = newId();
    await store.claim(id, 'a');
    expect(await store.claim(id, 'a')).toEqual({ state: 'claimed' });
  });

  it('knows what is done, for all', async () => {
    const id = newId();
    const store = create(long);
    await store.claim(id, 'a');
    await store.complete(id);
    expect(await create(long).claim(id, 'b')).toEqual({ state: 'done' });
    expect(await store.claim(id, 'a')).toEqual({ state: 'done' });
    // A late release frees nothing that is done.
    await store.release(id, 'a');
    expect(await store.claim(id, 'c')).toEqual({ state: 'done' });
  });

  it('frees an id for its own holder alone', async () => {
    const store = create(long);
    const id = newId();
    await store.claim(id, 'a');
    await store.release(id, 'b');
    expect(await store.claim(id, 'b')).toMatchObject({ state: 'leased' });
    await store.release(id, 'a');
    expect(await store.claim(id, 'b')).toEqual({ state: 'claimed' });
  });

  it('frees an id when its lease ends, and its first holder then frees nothing', async () => {
    const store = create({ leaseSeconds: 0.2, rememberSeconds: 600 });
    const id = newId();
    await store.claim(id, 'dies');
    await waitUntil('the lease has ended', async () => (await create(long).claim(id, 'next')).state === 'claimed', {
      timeoutMs: 30_000,
    });
    await store.release(id, 'dies');
    expect(await store.claim(id, 'third')).toMatchObject({ state: 'leased' });
  });

  it('marks as done what a handler ended after its lease', async () => {
    const store = create({ leaseSeconds: 0.05, rememberSeconds: 600 });
    const id = newId();
    await store.claim(id, 'slow');
    await delay(100);
    await store.complete(id);
    expect(await store.claim(id, 'next')).toEqual({ state: 'done' });
  });

  it('forgets what was done long enough ago', async () => {
    const store = create({ leaseSeconds: 0.05, rememberSeconds: 0.3 });
    const id = newId();
    await store.claim(id, 'a');
    await store.complete(id);
    await waitUntil('it is forgotten', async () => (await store.claim(id, 'b')).state === 'claimed', {
      timeoutMs: 30_000,
    });
  });
}
