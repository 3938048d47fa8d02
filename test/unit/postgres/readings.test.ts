import { createReadings } from '#lib/postgres';
import { createManualClock, silentLogger } from '#lib/runtime';

const waitMs = 250;
type Behaviour = 'answers' | 'fails' | 'hangs';

async function start() {
  const clock = createManualClock();
  const world = { behaviour: 'answers' as Behaviour, began: [] as number[], failures: 0 };
  const readings = createReadings({
    name: 'tests',
    async read() {
      world.began.push(clock.monotonicMs());
      if (world.behaviour === 'hangs') await clock.sleep(30_000);
      if (world.behaviour !== 'answers') throw new Error('away');
    },
    onFailed: () => void (world.failures += 1),
    waitMs,
    clock,
    log: silentLogger,
  });
  await readings.refresh();
  await readings.resting.start();
  world.began.length = 0;
  return { ...readings, clock, world };
}

test('nothing is read at rest, but once in three quarters of a minute', async () => {
  const { clock, world, resting } = await start();
  await clock.advance(44_999);
  expect(world.began).toHaveLength(0);
  await clock.advance(10 * 60_000);
  expect(world.began.length).toBeLessThanOrEqual(14);
  expect(world.began.length).toBeGreaterThanOrEqual(13);
  await resting.stop();
});

test('after a rest whoever asks waits for one reading, which began after that and is shared', async () => {
  const { clock, world, recent } = await start();
  await clock.advance(20_000);
  const askedAtMs = clock.monotonicMs();
  const asked = [recent(), recent(), recent()];
  expect(asked).toEqual([expect.any(Promise), expect.any(Promise), expect.any(Promise)]);
  for (const reading of asked) await reading;
  expect(world.began).toEqual([askedAtMs]);
  expect(recent()).toBeUndefined();
});

test('a reading that is older than 1.5 s is waited for, and a younger one is not', async () => {
  const { clock, world, recent } = await start();
  await clock.advance(1_500);
  expect(recent()).toBeUndefined();
  await clock.advance(0);
  expect(world.began).toHaveLength(1);
  await clock.advance(1_501);
  expect(recent()).toBeInstanceOf(Promise);
});

test('under load nobody waits, for about a reading a second', async () => {
  const { clock, world, recent } = await start();
  for (let asked = 0; asked < 1_000; asked += 1) {
    expect(recent()).toBeUndefined();
    await clock.advance(10);
  }
  expect(world.began.length).toBeGreaterThanOrEqual(9);
  expect(world.began.length).toBeLessThanOrEqual(13);
});

test('while Postgres refuses, the first waits for that, the others for nothing, and it is asked once a second', async () => {
  const { clock, world, recent, isAway, isRecent } = await start();
  await clock.advance(5_000);
  world.behaviour = 'fails';
  await recent();
  expect([isAway(), isRecent()]).toEqual([true, false]);
  for (let asked = 0; asked < 100; asked += 1) {
    expect(recent()).toBeUndefined();
    await clock.advance(100);
  }
  expect(world.began.length).toBeLessThanOrEqual(11);
  expect(world.failures).toBe(world.began.length);
  world.behaviour = 'answers';
  void recent();
  await clock.advance(0);
  expect([isAway(), isRecent()]).toEqual([false, true]);
});

test('while Postgres hangs, the first waits for a quarter of a second, and the others for nothing', async () => {
  const { clock, world, recent } = await start();
  await clock.advance(5_000);
  world.behaviour = 'hangs';
  let isOver = false;
  void recent()?.then(() => void (isOver = true));
  await clock.advance(waitMs - 1);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
  for (let asked = 0; asked < 100; asked += 1) {
    expect(recent()).toBeUndefined();
    await clock.advance(100);
  }
  expect(world.began).toHaveLength(1);
});

test('whoever needs a younger one gets it', async () => {
  const { clock, world, recent } = await start();
  await clock.advance(501);
  expect(recent()).toBeUndefined();
  await recent(500);
  expect(world.began).toEqual([clock.monotonicMs()]);
});
