import { createManualClock, type ManualClock } from '#lib/runtime';
import { type Breaker, createBreaker } from '../../../libs/redis/breaker.ts';

let clock: ManualClock;
let seen: string[];
let refusals: number;
let breaker: Breaker;
beforeEach(() => {
  clock = createManualClock();
  seen = [];
  refusals = 0;
  breaker = createBreaker({
    clock,
    coolDownMs: 1_000,
    onOpen: (cause) => seen.push(`open: ${(cause as Error).message}`),
    onClose: () => seen.push('closed'),
    onRefusal: () => (refusals += 1),
  });
});

const works = () => breaker.run(async () => 'answer');
const fails = () => breaker.run(() => Promise.reject(new Error('no answer')));
const refused = { code: 'redis_unavailable' };

describe('the breaker', () => {
  it('lets calls through, and gives what they give', async () => {
    expect(await works()).toBe('answer');
    expect(seen).toEqual([]);
  });

  it('refuses at once, without asking, for a while after a failure', async () => {
    await expect(fails()).rejects.toThrow('no answer');
    let asked = false;
    await expect(breaker.run(async () => (asked = true))).rejects.toMatchObject(refused);
    await clock.advance(999);
    await expect(works()).rejects.toMatchObject(refused);
    expect(asked).toBe(false);
    expect(refusals).toBe(2);
  });

  it('lets one call try after the cool-down, and the others when it has succeeded', async () => {
    await expect(fails()).rejects.toThrow('no answer');
    await clock.advance(1_000);
    const probe = Promise.withResolvers<string>();
    const probing = breaker.run(() => probe.promise);
    await expect(works()).rejects.toMatchObject(refused);
    probe.resolve('back');
    expect(await probing).toBe('back');
    expect(await works()).toBe('answer');
    expect(seen).toEqual(['open: no answer', 'closed']);
  });

  it('cools down again when the one that tries fails, and tells of it once', async () => {
    await expect(fails()).rejects.toThrow('no answer');
    await clock.advance(1_000);
    await expect(fails()).rejects.toThrow('no answer');
    await clock.advance(999);
    await expect(works()).rejects.toMatchObject(refused);
    await clock.advance(1);
    expect(await works()).toBe('answer');
    expect(seen).toEqual(['open: no answer', 'closed']);
  });

  it('is not closed by a call that was under way before the failure', async () => {
    const slow = Promise.withResolvers<string>();
    const before = breaker.run(() => slow.promise);
    await expect(fails()).rejects.toThrow('no answer');
    slow.resolve('late');
    expect(await before).toBe('late');
    await expect(works()).rejects.toMatchObject(refused);
  });
});
