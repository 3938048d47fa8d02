/**
 * Compares the cost of a delivery in a dispatcher with that in a bare loop around the same HTTP library.
 *
 * In turns, one at a time: the loop, then a dispatcher process that finds as many events on their topic, each for one endpoint, and is done
 * when the last outcome of a delivery is on its topic too. Both send to the same receiver, over as many connections. Beside the loop stands
 * what nothing that goes through Kafka can do without, too: a bare copy of the two records that each delivery is read from. Processor time is
 * that of the whole process, all its threads.
 */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { connectKafkaOffsets, type KafkaOffsets } from '../../support/kafka-offsets.ts';
import { serverAddresses } from '../../support/servers.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { copyRecords } from '../support/copy-records.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { onTestServers } from '../support/on-test-servers.ts';
import type { Order, Taken } from './receiver-process.ts';
import { maxInFlight, runDispatcher } from './run-dispatcher.ts';

type Settings = 'deliveries' | 'bytes' | 'endpoints' | 'turns';

export const sendingBench: Bench<Settings> = {
  name: 'sending',
  says: 'one dispatcher beside a bare loop around the same HTTP library',
  numbers: { deliveries: 40_000, bytes: 2_048, endpoints: 10, turns: 3 },
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

/** The cost of one turn. */
interface Cost {
  perSecond: number;
  perProcessorSecond: number;
}

async function measure({ numbers, profile, say }: BegunBench<Settings>, around: Around): Promise<BenchReport> {
  const { deliveries, bytes, endpoints, turns } = numbers;
  const connections = endpoints * maxInFlight;
  const [bare, ours]: [Cost[], Cost[]] = [[], []];
  /** Beside each turn of the loop. */
  const withCopies: number[] = [];
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
    const loopSeconds = Number(stdout);
    bare.push(await cost(`turn ${turn}, loop`, loopSeconds));

    await ask(around.receiver, 'begin');
    const profileFile =
      profile && turn === turns ? join(hooklineDir, 'profiles', `sending-${process.pid}.cpuprofile`) : '';
    const { offsets, url } = around;
    let copySeconds = 0;
    const spent = await runDispatcher({
      name: `sending-${turn}`,
      deliveries,
      bytes,
      endpoints,
      offsets,
      url,
      profileFile,
      async afterwards({ events, deliveries: written, duplicates: aside }) {
        for (const from of [events, written])
          copySeconds += (await copyRecords({ from, to: aside, records: deliveries })).processorSeconds;
      },
    });
    ours.push(await cost(`turn ${turn}, dispatcher`, spent));
    withCopies.push(deliveries / (loopSeconds + copySeconds));
    if (profileFile !== '') notes.push(describeProfile(profileFile));
    say(`turn ${turn}: loop ${describe(bare.at(-1))}; dispatcher ${describe(ours.at(-1))}`);
  }
  return {
    setUp: `${deliveries} deliveries of ${bytes} bytes, ${endpoints} endpoints, ${connections} connections, ${turns} turns`,
    figures: [
      {
        name: 'deliveries',
        unit: 'a second of processor time',
        aim: { atLeast: 0.6 },
        values: ours.map(({ perProcessorSecond }) => perProcessorSecond),
        ceiling: { name: 'loop', values: bare.map(({ perProcessorSecond }) => perProcessorSecond) },
      },
      {
        name: 'deliveries, beside loop and copies',
        unit: 'a second of processor time',
        values: ours.map(({ perProcessorSecond }) => perProcessorSecond),
        ceiling: { name: 'loop and copies', values: withCopies },
      },
      {
        name: 'deliveries in time',
        unit: 'a second',
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

const describe = (cost: Cost | undefined): string =>
  `${cost?.perProcessorSecond.toFixed(0)} a second of processor time, ${cost?.perSecond.toFixed(0)} a second`;
