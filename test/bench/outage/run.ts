/**
 * An endpoint that is down while events come, and then up again, on real servers: `npm run -s outage [-- --events 100000 --keys 50]`.
 *
 * One dispatcher and one projector as processes. It prints what a delivery costs in records and rows, how fast waiting deliveries are sent
 * once the endpoint is up, and in which order. With `--keys` the endpoint is ordered. simulate.ts runs three days of this.
 */
import { join } from 'node:path';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createWorld } from '../../integration/dispatcher/world.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses } from '../../support/servers.ts';
import startServers from '../../support/start-servers.ts';
import stopServers from '../../support/stop-servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createEvidenceRecorder } from '../../evidence/evidence.ts';
import { percentile } from '../../support/percentiles.ts';
import { perRetry, settledWrites, type Writes } from '../retries/count-writes.ts';
import { type Arrival, startRecoveringReceiver } from './receiver-that-goes-down.ts';

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '100000' },
    keys: { type: 'string', default: '0' },
    record: { type: 'boolean', default: false },
  },
});
const record = createEvidenceRecorder('outage', values.record);
const [events, keys] = [values.events, values.keys].map(Number) as [number, number];
const perPublish = 500;
const latencyMs = 20;
const perEventMs = 20;
const patienceMs = 300_000;

const rootDir = join(import.meta.dirname, '../../..');
await startServers({ rootDir });
const world = await createWorld('outage', { partitions: 12 });
const receiver = await startRecoveringReceiver(latencyMs);
const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);

/** Numbered from here on. */
async function publish(from: number, count: number): Promise<void> {
  for (let at = from; at < from + count; at += perPublish) {
    const keyOf = (index: number): string | null => (keys === 0 ? null : `key-${(at + index) % keys}`);
    const size = Math.min(perPublish, from + count - at);
    await world.publish(size, (index) => Buffer.from(String(at + index)), 'src_1', keyOf);
  }
}

async function countStanding(statuses: readonly string[]): Promise<number> {
  const [row] = await world.postgres.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM deliveries WHERE status = ANY ($1::text[])',
    [statuses],
  );
  return row?.count ?? 0;
}

async function standing(statuses: readonly string[], count: number): Promise<void> {
  let last = 0;
  await waitUntil(
    `${count} deliveries are ${statuses.join(' or ')}`,
    async () => (last = await countStanding(statuses)) >= count,
    {
      timeoutMs: patienceMs + count * perEventMs,
      everyMs: 500,
      describe: () => String(last),
    },
  );
}

const writes = (): Promise<Writes> => settledWrites(world.postgres, offsets, Object.values(world.topics));

const say = (what: string, text: string): void => console.log(`${what}: ${text}  (load ${loadavg()[0]?.toFixed(1)})`);

/** Each is sent once all before it of its key have been. */
function describeKeys(arrivals: readonly Arrival[]): string {
  const last = new Map<number, number>();
  const wrong = arrivals.filter(({ number }) => {
    const before = last.get(number % keys);
    last.set(number % keys, number);
    return before !== undefined && number !== before + keys;
  });
  if (wrong.length > 0) process.exitCode = 1;
  return `${wrong.length} of ${arrivals.length} out of the order of their keys`;
}

/** @param waited events by the due times of their rows */
function describeAge(arrivals: readonly Arrival[], waited: readonly string[]): string {
  const places = new Map(waited.map((eventId, place) => [eventId, place]));
  let furthest = -1;
  const overtaken = arrivals.flatMap(({ eventId }) => {
    const place = places.get(eventId);
    if (place === undefined) return [];
    furthest = Math.max(furthest, place);
    return [furthest - place];
  });
  const [half, most, all] = [0.5, 0.99, 1].map((share) => percentile(overtaken, share));
  return `of those due after it, so many were sent before a delivery: p50 ${half}, p99 ${most}, max ${all}`;
}

try {
  await world.addEndpoint('down', { ordered: keys > 0 }, { url: receiver.url });
  await world.spawnService('projector', { HOOKLINE_LOG_LEVEL: 'warn' });
  const dispatcher = await world.spawnService('dispatcher', { HOOKLINE_LOG_LEVEL: 'warn' });
  await dispatcher.ready(60_000);
  const warmUp = keys === 0 ? 100 : keys;
  await publish(0, warmUp);
  await standing(['delivered'], warmUp);

  await receiver.goDown();
  const before = await writes();
  const publishedFromMs = performance.now();
  await publish(warmUp, events);
  const publishSeconds = (performance.now() - publishedFromMs) / 1e3;
  await standing(['parked', 'retrying'], events);
  const parkSeconds = (performance.now() - publishedFromMs) / 1e3;
  const down = await writes();
  say(
    `${events} events for one endpoint${keys > 0 ? `, ordered, ${keys} keys` : ''}, while it is down`,
    `published within ${publishSeconds.toFixed(0)} s, waiting within ${parkSeconds.toFixed(0)} s; per delivery ${JSON.stringify(perRetry(before, down, events))}`,
  );

  const waited = await world.postgres.query<{ event_id: string }>('SELECT event_id FROM waiting ORDER BY due_at');
  await receiver.comeUp();
  const upAtMs = performance.now();
  await standing(['delivered'], warmUp + events);
  const drained = receiver.arrivals.slice(warmUp);
  const after = await writes();
  const afterMs = drained.map(({ atMs }) => atMs - upAtMs);
  const [first, half, most] = [0, 0.5, 0.95].map((share) => afterMs[Math.floor(share * afterMs.length)] as number) as [
    number,
    number,
    number,
  ];
  say(
    'after it is up',
    `first after ${(first / 1e3).toFixed(1)} s, half after ${(half / 1e3).toFixed(0)} s, last after ${((afterMs.at(-1) as number) / 1e3).toFixed(0)} s; ` +
      `between half and 95 % of them ${((0.45 * events * 1e3) / (most - half)).toFixed(0)} a second; per delivery ${JSON.stringify(perRetry(down, after, events))}`,
  );
  say(
    'order',
    keys > 0
      ? describeKeys(drained)
      : describeAge(
          drained,
          waited.map(({ event_id: eventId }) => eventId),
        ),
  );
  const each = perRetry(before, down, events);
  record(
    `${each[`records on ${world.topics['delivery.attempts']}`]} records and ${each['waiting inserted']} rows a delivery; after the return the first after ${(first / 1e3).toFixed(0)} s, all after ${((afterMs.at(-1) as number) / 1e3).toFixed(0)} s`,
  );
  say('arrivals', `${drained.length}, of ${new Set(drained.map(({ number }) => number)).size} events`);
} finally {
  await world.stop();
  await offsets.close();
  await receiver.goDown();
  await stopServers();
}
