/**
 * What a delivery costs a dispatcher beside what a bare loop around the same HTTP library costs.
 *
 * In turns, one at a time: the loop, then a dispatcher process that finds as many events on their topic, each for one endpoint, and is done
 * when the last outcome of a delivery is on its topic too. Both send to the same receiver, over as many connections. Processor time is that
 * of the whole process, all its threads.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { createWorld } from '../../integration/dispatcher/world.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { onTestServers } from '../support/on-test-servers.ts';
import { processorSeconds } from '../support/processor-seconds.ts';
import { profilingInto } from '../support/profiling-into.ts';
import type { Order, Taken } from './receiver-process.ts';

type Settings = 'deliveries' | 'bytes' | 'endpoints' | 'turns';

const maxInFlight = 10;
/** Of one source, so that each event has one delivery. */
const publishAtOnce = 1_000;

export const sendingBench: Bench<Settings> = {
  name: 'sending',
  says: 'one dispatcher beside a bare loop around the same HTTP library',
  numbers: { deliveries: 10_000, bytes: 2_048, endpoints: 10, turns: 3 },
  run: onTestServers(async (begun) => {
    const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
    const receiver = fork(join(import.meta.dirname, 'receiver-process.ts'));
    try {
      const [{ port }] = (await once(receiver, 'message')) as [{ port: number }];
      return await measure(begun, { offsets, receiver, url: `http://127.0.0.1:${port}/` });
    } finally {
      receiver.kill();
      await offsets.close();
    }
  }),
};

interface Around {
  offsets: KafkaOffsets;
  receiver: ChildProcess;
  url: string;
}

/** Of one turn. */
interface Cost {
  perSecond: number;
  perProcessorSecond: number;
}

async function measure({ numbers, profile, say }: BegunBench<Settings>, around: Around): Promise<BenchReport> {
  const { deliveries, bytes, endpoints, turns } = numbers;
  const connections = endpoints * maxInFlight;
  const [bare, ours]: [Cost[], Cost[]] = [[], []];
  const [unaccounted, notes]: [string[], string[]] = [[], []];
  const cost = async (what: string, processorTime: number): Promise<Cost> => {
    const taken = await ask(around.receiver, 'report');
    if (taken.events !== deliveries)
      unaccounted.push(`${what}: ${deliveries} events were to come, ${taken.events} did`);
    return { perSecond: deliveries / taken.seconds, perProcessorSecond: deliveries / processorTime };
  };
  for (let turn = 1; turn <= turns; turn += 1) {
    await ask(around.receiver, 'begin');
    const program = join(import.meta.dirname, 'bare-client-process.ts');
    const args = [around.url, deliveries, bytes, connections].map(String);
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
    bare.push(await cost(`turn ${turn}, loop`, Number(stdout)));

    await ask(around.receiver, 'begin');
    const profileFile =
      profile && turn === turns ? join(hooklineDir, 'profiles', `sending-${process.pid}.cpuprofile`) : '';
    ours.push(await cost(`turn ${turn}, dispatcher`, await runDispatcher(turn, numbers, around, profileFile)));
    if (profileFile !== '') notes.push(describeProfile(profileFile));
    say(`turn ${turn}: loop ${describe(bare.at(-1))}; dispatcher ${describe(ours.at(-1))}`);
  }
  return {
    setUp: `${deliveries} deliveries of ${bytes} bytes, ${endpoints} endpoints, ${connections} connections, ${turns} turns`,
    figures: [
      {
        ...{ name: 'deliveries', unit: 'a second of processor time', aim: { atLeast: 0.6 } },
        values: ours.map(({ perProcessorSecond }) => perProcessorSecond),
        ceiling: { name: 'loop', values: bare.map(({ perProcessorSecond }) => perProcessorSecond) },
      },
      {
        ...{ name: 'deliveries in time', unit: 'a second' },
        values: ours.map(({ perSecond }) => perSecond),
        ceiling: { name: 'loop', values: bare.map(({ perSecond }) => perSecond) },
      },
    ],
    notes,
    unaccounted,
  };
}

async function ask(receiver: ChildProcess, order: Order): Promise<Taken> {
  receiver.send(order);
  const [taken] = (await once(receiver, 'message')) as [Taken];
  return taken;
}

/** @returns its processor time from when it is ready until the last outcome, in seconds */
async function runDispatcher(
  turn: number,
  { deliveries, bytes, endpoints }: Readonly<Record<Settings, number>>,
  { offsets, url }: Around,
  profileFile: string,
): Promise<number> {
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
    const spent = processorSeconds(dispatcher.pid) - atReady;
    await dispatcher.stop(20_000);
    return spent;
  } finally {
    await world.stop();
  }
}

const describe = (cost: Cost | undefined): string =>
  `${cost?.perProcessorSecond.toFixed(0)} a second of processor time, ${cost?.perSecond.toFixed(0)} a second`;
