/** A dispatcher process that finds events on their topic, each for one endpoint, and sends them all. */
import { createWorld, type World } from '../../integration/dispatcher/world.ts';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import { profilingInto } from '../support/profiling-into.ts';

interface Options {
  name: string;
  deliveries: number;
  bytes: number;
  /** Each gets the events of its own source. */
  endpoints: number;
  offsets: KafkaOffsets;
  /** The URL of all endpoints. */
  url: string;
  /** Empty: none is wanted. */
  profileFile: string;
  /** While what it has read and written is still there. */
  afterwards?(topics: World['topics']): Promise<void>;
}

export const maxInFlight = 10;
const publishAtOnce = 1_000;
const createAtOnce = 20;

/** @returns its processor time from when it is ready until the last outcome is on its topic, in seconds */
export async function runDispatcher(options: Options): Promise<number> {
  const { name, deliveries, offsets, profileFile } = options;
  const world = await createWorld(name);
  try {
    await createEndpoints(world, options);
    await publish(world, options);
    // All of them fit in, so that none is parked: what that costs is measured elsewhere.
    const room = String(2 * deliveries);
    const dispatcher = await world.spawnService('dispatcher', {
      HOOKLINE_DISPATCHER_QUEUE_RECORDS: room,
      HOOKLINE_DISPATCHER_LANE_RECORDS: room,
      HOOKLINE_DISPATCHER_QUEUE_BYTES: String(1024 ** 3),
      HOOKLINE_DISPATCHER_LANE_BYTES: String(1024 ** 3),
      ...(profileFile !== '' && profilingInto(profileFile)),
    });
    const topic = world.topics['delivery.attempts'];
    // The set of each event, and the outcome of its delivery.
    const records = 2 * deliveries;
    const outcomes = async (): Promise<number> =>
      Object.values(await offsets.ends([topic])).reduce((sum, end) => sum + end, 0);
    await dispatcher.ready(60_000);
    const atReady = processorSeconds(dispatcher.pid);
    await waitUntil('all outcomes are on their topic', async () => (await outcomes()) >= records, {
      timeoutMs: 300_000,
      everyMs: 250,
    });
    const spent = processorSeconds(dispatcher.pid) - atReady;
    await dispatcher.stop(20_000);
    await options.afterwards?.(world.topics);
    return spent;
  } finally {
    await world.stop();
  }
}

const sourceOf = (index: number): string => `src_${index}`;

async function createEndpoints(world: World, { endpoints, url }: Options): Promise<void> {
  for (let start = 0; start < endpoints; start += createAtOnce) {
    const some = Array.from({ length: Math.min(createAtOnce, endpoints - start) }, (_, n) => start + n);
    await Promise.all(
      some.map((index) =>
        world.addEndpoint(`endpoint ${index}`, { max_in_flight: maxInFlight }, { url, sourceIds: [sourceOf(index)] }),
      ),
    );
  }
}

/** To one endpoint after the other. */
async function publish(world: World, { deliveries, bytes, endpoints }: Options): Promise<void> {
  const payload = Buffer.alloc(bytes, 'x');
  const each = Math.ceil(publishAtOnce / endpoints);
  const shares = Array.from({ length: Math.ceil(deliveries / each) }, (_, n) => ({
    source: sourceOf(n % endpoints),
    count: Math.min(each, deliveries - n * each),
  }));
  const sharesAtOnce = Math.ceil(publishAtOnce / each);
  for (let start = 0; start < shares.length; start += sharesAtOnce)
    await Promise.all(
      shares.slice(start, start + sharesAtOnce).map(({ source, count }) => world.publish(count, () => payload, source)),
    );
}
