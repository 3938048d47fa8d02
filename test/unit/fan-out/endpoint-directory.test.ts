import { createEndpointDirectory, readSubscriber, type Subscriber, type SubscriberRow } from '#lib/fan-out';
import { AppError, createManualClock, formatMicros, silentLogger } from '#lib/runtime';
import { fakeFollowedTable } from '../../support/fake-followed-table.ts';

const startMs = Date.UTC(2026, 0, 1);
const secondMicros = 1_000_000;

/** A directory over a Postgres whose clock is `aheadMs` before that of the process, and of an ingress. */
async function start({ aheadMs = 0 } = {}) {
  const clock = createManualClock(startMs);
  const world = { statements: 0, isAway: false };
  const directory = createEndpointDirectory<SubscriberRow, Subscriber>({
    postgres: fakeFollowedTable(
      [],
      async () => {
        world.statements += 1;
        if (world.isAway) throw new AppError('store_unavailable', 'away');
      },
      () => formatMicros((clock.nowMs() + aheadMs) * 1_000),
    ),
    columns: '',
    read: (row) => ({ ...readSubscriber(row, undefined, () => undefined), ordered: false }),
    clock,
    log: silentLogger,
  });
  await directory.start();
  world.statements = 0;
  const receivedIn = (seconds: number) => ({ received_at: clock.nowMs() * 1_000 + seconds * secondMicros });
  return { directory, clock, world, receivedIn };
}

test('a reading as of a second before the receipt suffices, and an older one does not', async () => {
  const { directory, clock, receivedIn } = await start();
  const soon = clock.monotonicMs() + 1;
  expect(directory.suffices(receivedIn(1), soon)).toBe(true);
  expect(directory.suffices({ received_at: receivedIn(1).received_at + 1 }, soon)).toBe(false);
});

test('a reading suffices for no longer than a send may go by it, however old the event', async () => {
  const { directory, clock, world, receivedIn } = await start();
  const event = receivedIn(-3_600);
  world.isAway = true;
  await clock.advance(1_500);
  expect(directory.suffices(event, 0)).toBe(true);
  await clock.advance(1);
  expect(directory.suffices(event, 0)).toBe(false);
});

test('an event that comes from a clock 529 s ahead is judged by a reading of after its record was read, at once', async () => {
  const { directory, clock, world, receivedIn } = await start();
  await clock.advance(10_000);
  expect(await directory.readFor(receivedIn(529))).toBe(true);
  expect(world.statements).toBe(1);
  const readAtMs = clock.monotonicMs();
  expect(directory.suffices(receivedIn(529), readAtMs)).toBe(true);
  expect(directory.suffices(receivedIn(529), readAtMs + 1)).toBe(false);
});

test('events that all come from such a clock wait for a tenth of a second at most, for ten readings a second', async () => {
  const { directory, clock, world, receivedIn } = await start();
  for (let step = 0; step < 100; step += 1) {
    const readings = [directory.readFor(receivedIn(529)), directory.readFor(receivedIn(600))];
    await clock.advance(100);
    for (const reading of readings) expect(await reading).toBe(true);
  }
  expect(world.statements).toBeLessThanOrEqual(110);
});

test.each([
  ['ahead', 529_000],
  ['behind', -529_000],
])('a Postgres whose clock is 529 s %s stalls nobody', async (_which, aheadMs) => {
  const { directory, clock, receivedIn } = await start({ aheadMs });
  for (let event = 0; event < 3; event += 1) {
    await clock.advance(1_000);
    const reading = directory.readFor(receivedIn(0));
    await clock.advance(100);
    expect(await reading).toBe(true);
  }
});

test('without Postgres it does not suffice: the first event waits for that, and the others for nothing', async () => {
  const { directory, clock, world, receivedIn } = await start();
  world.isAway = true;
  await clock.advance(2_000);
  expect(await directory.readFor(receivedIn(0))).toBe(false);
  expect(directory.readFor(receivedIn(0))).toBe(false);
  await expect(directory.readForFanOut()).rejects.toMatchObject({ code: 'store_unavailable' });
  world.isAway = false;
  await clock.advance(1_000);
  expect(directory.readFor(receivedIn(0))).toBe(false);
  await clock.advance(0);
  expect(directory.readFor(receivedIn(0))).toBe(true);
});
