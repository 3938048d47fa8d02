/**
 * What a delivery costs a dispatcher beside what a bare loop around the same HTTP library costs: `npm run -s sending [-- --deliveries 10000]`.
 *
 * In turns, one at a time: the loop, then a dispatcher process that finds as many events on their topic, each for one endpoint, and is done
 * when the last outcome of a delivery is on its topic too. Both send to the same receiver, over as many connections. Processor time is that
 * of the whole process, all its threads; with `--profile` the dispatcher of the last turn leaves a profile, and where its time went is
 * printed.
 */
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createWorld } from '../../integration/dispatcher/world.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses } from '../../support/servers.ts';
import startServers from '../../support/start-servers.ts';
import stopServers from '../../support/stop-servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { percentile } from '../isolation/percentiles.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import type { Order, Taken } from './receiver-process.ts';

const { values } = parseArgs({
  options: {
    deliveries: { type: 'string', default: '10000' },
    bytes: { type: 'string', default: '2048' },
    endpoints: { type: 'string', default: '10' },
    turns: { type: 'string', default: '3' },
    profile: { type: 'boolean', default: false },
  },
});
const [deliveries, bytes, endpoints, turns] = [values.deliveries, values.bytes, values.endpoints, values.turns].map(
  Number,
) as [number, number, number, number];
const maxInFlight = 10;
const connections = endpoints * maxInFlight;
const aim = 0.6;
/** Of one source, so that each event has one delivery. */
const publishAtOnce = 1_000;

const rootDir = join(import.meta.dirname, '../../..');
await startServers({ rootDir });
const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
const receiver = fork(join(import.meta.dirname, 'receiver-process.ts'));
const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
const url = `http://127.0.0.1:${port}/`;

async function ask(order: Order): Promise<Taken> {
  receiver.send(order);
  const [taken] = (await once(receiver, 'message')) as [Taken];
  return taken;
}

interface Cost {
  perSecond: number;
  perProcessorSecond: number;
}

const costOf = (taken: Taken, processorSeconds: number): Cost => {
  if (taken.events !== deliveries) throw new Error(`${deliveries} events were to come, ${taken.events} did`);
  return { perSecond: deliveries / taken.seconds, perProcessorSecond: deliveries / processorSeconds };
};

async function runBareClient(): Promise<Cost> {
  await ask('begin');
  const program = join(import.meta.dirname, 'bare-client-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    ...[url, deliveries, bytes, connections].map(String),
  ]);
  return costOf(await ask('report'), Number(stdout));
}

async function runDispatcher(turn: number): Promise<Cost> {
  const world = await createWorld(`sending-${turn}`);
  try {
    for (let index = 0; index < endpoints; index += 1)
      await world.addEndpoint(
        `endpoint ${index}`,
        { max_in_flight: maxInFlight },
        { url, sourceIds: [`src_${index}`] },
      );
    const payload = Buffer.alloc(bytes, 'x');
    for (let published = 0; published < deliveries; published += publishAtOnce)
      await world.publish(
        Math.min(publishAtOnce, deliveries - published),
        () => payload,
        `src_${(published / publishAtOnce) % endpoints}`,
      );
    await ask('begin');
    const dir = join(rootDir, '.hookline', 'profiles');
    const profile = values.profile && turn === turns;
    // All of them fit in, so that none is parked: what that costs is measured elsewhere.
    const room = String(2 * deliveries);
    const dispatcher = await world.spawnService('dispatcher', {
      HOOKLINE_DISPATCHER_QUEUE_RECORDS: room,
      HOOKLINE_DISPATCHER_LANE_RECORDS: room,
      HOOKLINE_DISPATCHER_QUEUE_BYTES: String(1024 ** 3),
      HOOKLINE_DISPATCHER_LANE_BYTES: String(1024 ** 3),
      ...(profile && {
        NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dir} --cpu-prof-name=sending-${process.pid}.cpuprofile`,
      }),
    });
    const topic = world.topics['delivery.attempts'];
    // The set of each event, and what came of its delivery.
    const records = 2 * deliveries;
    const outcomes = async (): Promise<number> =>
      Object.values(await offsets.ends([topic])).reduce((sum, end) => sum + end, 0);
    await dispatcher.ready(60_000);
    const atReady = processorSeconds(dispatcher.pid);
    await waitUntil('all outcomes are on their topic', async () => (await outcomes()) >= records, {
      timeoutMs: 300_000,
      everyMs: 250,
    });
    const cost = costOf(await ask('report'), processorSeconds(dispatcher.pid) - atReady);
    await dispatcher.stop(20_000);
    if (profile) console.log(describeProfile(join(dir, `sending-${process.pid}.cpuprofile`)));
    return cost;
  } finally {
    await world.stop();
  }
}

const describe = ({ perSecond, perProcessorSecond }: Cost): string =>
  `${perProcessorSecond.toFixed(0)} a second of processor time, ${perSecond.toFixed(0)} a second`;

try {
  console.log(
    `${deliveries} deliveries of ${bytes} bytes, ${endpoints} endpoints, ${connections} connections; ${turns} turns; ${cpus().length} × ${cpus()[0]?.model}`,
  );
  const ratios: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const bare = await runBareClient();
    const dispatcher = await runDispatcher(turn);
    ratios.push(dispatcher.perProcessorSecond / bare.perProcessorSecond);
    console.log(`bare loop   ${describe(bare)}`);
    console.log(
      `dispatcher  ${describe(dispatcher)}; ratio ${ratios.at(-1)?.toFixed(2)}; load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  const ratio = percentile(ratios, 0.5);
  console.log(
    `deliveries for a second of processor time, dispatcher / bare loop, median: ${ratio.toFixed(2)} (aim ${aim})`,
  );
} finally {
  receiver.kill();
  await offsets.close();
  await stopServers();
}
