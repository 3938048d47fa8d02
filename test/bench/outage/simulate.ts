/**
 * An endpoint that is down for three days at 50 events a second, in minutes: `npm run -s outage-simulation [-- --keys 50 --down-hours 72]`.
 *
 * The dispatcher's own parts over tables and a Kafka in memory (outage-world.ts). Printed is what a delivery costs in records and rows, what
 * the breaker's probes cost, what ends at the window's end, and how what waits is released once the endpoint is up again. With `--keys`
 * the endpoint is ordered, and every event has one of so many keys.
 */
import { parseArgs } from 'node:util';
import { createEvidenceRecorder } from '../../evidence/evidence.ts';
import { percentile } from '../../support/percentiles.ts';
import { createOutageWorld, latencyMs, startMs } from './outage-world.ts';

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '0' },
    'per-second': { type: 'string', default: '50' },
    'down-hours': { type: 'string', default: '72.2' },
    'window-hours': { type: 'string', default: '72' },
    'drain-hours': { type: 'string', default: '12' },
    record: { type: 'boolean', default: false },
  },
});
const record = createEvidenceRecorder('outage-simulation', values.record);
const [keys, perSecond, downHours, windowHours, drainHours] = [
  values.keys,
  values['per-second'],
  values['down-hours'],
  values['window-hours'],
  values['drain-hours'],
].map(Number) as [number, number, number, number, number];
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const healthyMs = minuteMs;
const windowMs = windowHours * hourMs;
const upAtMs = startMs + healthyMs + downHours * hourMs;
const endsAtMs = upAtMs + drainHours * hourMs;

const wallStartMs = performance.now();
const world = await createOutageWorld({ perSecond, keys, windowMs, upAtMs, endsAtMs, seed: 1 });
const { clock, tables, recordsOf } = world;
const say = (text: string): void =>
  console.log(`[${((performance.now() - wallStartMs) / 1e3).toFixed(0).padStart(4)} s] ${text}`);
const millions = (count: number): string => count.toLocaleString('en');

/** Counts of the sends. */
const sends = { down: 0, up: 0, late: 0, mostAhead: 0, outOfOrder: 0 };
const upPerMinute: number[] = [];
/** For deliveries from before the recovery: when each was first sent after it, in seconds. */
const releasedAfterS: number[] = [];
const released = new Set<number>();
const lastOfKey = new Map<number, number>();
let newest = -1;
let backlogEnd = Number.POSITIVE_INFINITY;

world.onSend((number) => {
  if (clock.nowMs() < upAtMs) {
    sends.down += 1;
    return;
  }
  sends.up += 1;
  const minute = Math.floor((clock.nowMs() - upAtMs) / minuteMs);
  upPerMinute[minute] = (upPerMinute[minute] ?? 0) + 1;
  if (number < backlogEnd && !released.has(number)) {
    released.add(number);
    releasedAfterS.push((clock.nowMs() - upAtMs) / 1e3);
  }
  if (keys > 0) {
    // One that comes again may follow itself.
    const before = lastOfKey.get(number % keys) ?? -1;
    if (number < before) sends.outOfOrder += 1;
    lastOfKey.set(number % keys, Math.max(before, number));
  } else if (number < backlogEnd && recordsOf[number] === 1) {
    // For deliveries that waited and were never sent: how many younger ones were sent before.
    if (number < newest) sends.mostAhead = Math.max(sends.mostAhead, newest - number);
    newest = Math.max(newest, number);
  }
});

function describeRecords(): string {
  return [...world.records].map(([name, count]) => `${name}: ${millions(count)}`).join('; ');
}

/** The deliveries so far by their number of records: so many with one each, two, … */
function recordsPerDelivery(count: number): string {
  const histogram = new Map<number, number>();
  let all = 0;
  for (let number = 0; number < count; number += 1) {
    const records = recordsOf[number] as number;
    all += records;
    histogram.set(records, (histogram.get(records) ?? 0) + 1);
  }
  const parts = [...histogram].sort(([a], [b]) => a - b).map(([records, of]) => `${records}: ${millions(of)}`);
  return `${(all / count).toFixed(5)} a delivery (${parts.join(', ')})`;
}

function describeRows(count: number): string {
  const { written, removed, read, madeDue, waiting, most } = tables.counts;
  const each = (of: number): string => `${millions(of)} (${(of / count).toFixed(5)})`;
  return `written ${each(written)}, made due ${each(madeDue)}, read ${each(read)}, removed ${each(removed)}; ${millions(waiting)} wait, ${millions(most)} at the most`;
}

say(`${perSecond} events a second, ${keys === 0 ? 'no order' : `${keys} ordering keys`}; down for ${downHours} h`);
for (let hours = 12; hours < downHours; hours += 12) {
  await clock.runUntil(startMs + hours * hourMs, () => false);
  say(
    `${hours} h: ${millions(world.arrived())} came, ${millions(sends.down)} sends, ${millions(tables.counts.waiting)} wait`,
  );
}
await clock.runUntil(upAtMs, () => false);
backlogEnd = world.arrived();
say('at the end of the outage, a delivery being one that came by then:');
say(
  `  came: ${millions(backlogEnd)}; sends while it was down: ${millions(sends.down)}, ${(sends.down / backlogEnd).toFixed(5)} a delivery`,
);
say(`  records: ${describeRecords()}; ${recordsPerDelivery(backlogEnd)}`);
say(`  rows: ${describeRows(backlogEnd)}`);
const recordsEach = recordsOf.subarray(0, backlogEnd).reduce((sum, records) => sum + records, 0) / backlogEnd;
const rowsEach = tables.counts.written / backlogEnd;
const isPastWindow = (number: number): boolean => startMs + (number * 1_000) / perSecond + windowMs <= upAtMs;
const pastWindow = Array.from(
  { length: Math.ceil(Math.max(0, upAtMs - windowMs - startMs) / 1_000) * perSecond },
  (_, at) => at,
).filter(isPastWindow);
const endedOf = (of: readonly number[], status: string): number =>
  of.filter((number) => tables.statusOf(number) === status).length;
say(
  `  past their window: ${millions(pastWindow.length)}, ended as exhausted: ${millions(endedOf(pastWindow, 'dead_lettered'))}, dead letters: ${millions(world.deadLetters())}`,
);

const drained = (): boolean => tables.counts.waiting === 0;
await clock.runUntil(endsAtMs, drained);
const drainS = (clock.nowMs() - upAtMs) / 1e3;
const full = upPerMinute.slice(2, -1).filter((count) => count !== undefined);
say(
  `up for ${(drainS / 3600).toFixed(2)} h, ${drained() ? 'nothing waits any more' : `${millions(tables.counts.waiting)} still wait`}:`,
);
const drainedPerSecond = percentile(
  full.map((count) => count / 60),
  0.5,
);
say(
  `  sent in the first minutes: ${upPerMinute.slice(0, 5).join(', ')}; then ${drainedPerSecond.toFixed(0)} a second (10 connections, answers after ${latencyMs} ms)`,
);
const [first, half, most, all] = [0, 0.5, 0.99, 1].map((share) => `${percentile(releasedAfterS, share).toFixed(0)} s`);
say(`  of what waited, the first was sent after ${first}, half after ${half}, 99 % after ${most}, all after ${all}`);
say(
  keys > 0
    ? `  sent before an older one of its key: ${sends.outOfOrder}`
    : `  at the most ${sends.mostAhead} younger ones were sent before one that had waited`,
);
say(`  ended: ${describeRecords()}`);
say(`  rows: ${describeRows(backlogEnd)}`);
say(
  `  past their window at the recovery: delivered ${millions(endedOf(pastWindow, 'delivered'))}, exhausted ${millions(endedOf(pastWindow, 'dead_lettered'))}`,
);
record(
  `${millions(backlogEnd)} deliveries in ${downHours} hours of outage: ${recordsEach.toFixed(4)} records and ${rowsEach.toFixed(4)} rows each; then ${drainedPerSecond.toFixed(0)} a second, ` +
    (keys > 0
      ? `${sends.outOfOrder} sent before an older one of its key`
      : `at most ${millions(sends.mostAhead)} younger ones before one that had waited`),
);
await world.stop();
