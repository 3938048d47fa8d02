/**
 * Measures what endpoints that hang or refuse cost the others: `npm run -s isolation [-- --endpoints 1000 --per-second 150 --seconds 60]`.
 *
 * One dispatcher and one projector as processes, real servers, receivers in their own processes. Events come at their due times, regardless
 * of their outcomes, in clumps for one endpoint each; latency is from an event's due time on `events` to its arrival. Phase `well`: all
 * endpoints answer. Phase `sick`: 10 % hang and 5 % refuse, each with as many deliveries at the start as it may have. The result compares
 * the endpoints that are healthy in both phases, over the whole phase and without its start.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { groupOf } from '#lib/contract';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { seededRandom, shuffled } from '../../support/seeded-random.ts';
import { serverAddresses } from '../../support/servers.ts';
import startServers from '../../support/start-servers.ts';
import stopServers from '../../support/stop-servers.ts';
import { createWorld } from '../../integration/dispatcher/world.ts';
import { describeLatencies, percentile } from '../../support/percentiles.ts';
import type { BenchPayload } from './receiver-process.ts';
import { startBenchReceiver } from './receivers.ts';
import { createEvidenceRecorder } from '../../evidence/evidence.ts';
import { watchDispatcher, type Watch } from './watch-dispatcher.ts';

type Processor = ReturnType<Watch['processor']>;

const { values } = parseArgs({
  options: {
    endpoints: { type: 'string', default: '1000' },
    'per-second': { type: 'string', default: '150' },
    seconds: { type: 'string', default: '60' },
    record: { type: 'boolean', default: false },
  },
});
const record = createEvidenceRecorder('isolation', values.record);
const [endpoints, perSecond, seconds] = [values.endpoints, values['per-second'], values.seconds].map(Number) as [
  number,
  number,
  number,
];
const clump = 5;
const burst = 10;
const burstSeconds = 5;
const settledAfterSeconds = 10;
const warmUpSeconds = 15;
const latencyMs = 20;
const drainMs = 10_000;
const aim = 1.2;

const rootDir = join(import.meta.dirname, '../../..');
await startServers({ rootDir });
const world = await createWorld('isolation');
const receivers = {
  healthy: await startBenchReceiver(latencyMs),
  hanging: await startBenchReceiver(latencyMs),
  refusing: await startBenchReceiver(latencyMs),
};

type Kind = keyof typeof receivers;
const kindOf = (index: number): Kind => (index % 20 === 0 ? 'refusing' : index % 10 === 5 ? 'hanging' : 'healthy');
const indexes = shuffled(
  Array.from({ length: endpoints }, (_, index) => index),
  seededRandom(1),
);

async function publishClump(index: number, count: number, payload: BenchPayload): Promise<void> {
  await world.publish(count, () => Buffer.from(JSON.stringify(payload)), `src_${index}`);
}

/** The processor time that the main thread got between two looks. */
function describeProcessor(from: Processor, to: Processor): string {
  const [ran, waited] = [to.ranSeconds - from.ranSeconds, to.waitedSeconds - from.waitedSeconds];
  return `ran for ${ran.toFixed(1)} s, waited for a processor for ${waited.toFixed(1)} s`;
}

const settledPart = (phase: string): string => `${phase}, settled`;

/** @param extra for these a burst each, spread over the first seconds */
async function load(phase: string, forSeconds: number, extra: readonly number[]): Promise<void> {
  const startMs = performance.timeOrigin + performance.now();
  const due = [
    ...Array.from({ length: Math.floor((forSeconds * perSecond) / clump) }, (_, at) => ({
      index: indexes[at % indexes.length] as number,
      count: clump,
      dueAtMs: startMs + (at * clump * 1e3) / perSecond,
    })),
    ...extra.map((index, at) => ({ index, count: burst, dueAtMs: startMs + (at * burstSeconds * 1e3) / extra.length })),
  ].sort((a, b) => a.dueAtMs - b.dueAtMs);
  const sent: Promise<void>[] = [];
  for (const { index, count, dueAtMs } of due) {
    const waitMs = dueAtMs - (performance.timeOrigin + performance.now());
    if (waitMs > 1) await delay(waitMs);
    const settled = dueAtMs - startMs > settledAfterSeconds * 1e3;
    sent.push(publishClump(index, count, { dueAtMs, phase: settled ? settledPart(phase) : phase }));
  }
  await Promise.all(sent);
}

try {
  for (const index of indexes) {
    const url = receivers[kindOf(index)].url(String(index));
    await world.addEndpoint(String(index), {}, { url, sourceIds: [`src_${index}`] });
  }
  await world.spawnService('projector');
  const dispatcher = await world.spawnService('dispatcher', { HOOKLINE_LOG_LEVEL: 'error' });
  await dispatcher.ready(60_000);
  const offsets = await connectKafkaOffsets(serverAddresses().kafkaBrokers);
  const watch = watchDispatcher({
    pid: dispatcher.pid,
    offsets,
    group: groupOf(world.topicPrefix, 'dispatcher'),
    topic: world.topics.deliveries,
  });
  const sick = indexes.filter((index) => kindOf(index) !== 'healthy');
  const count = (kind: Kind): number => indexes.filter((index) => kindOf(index) === kind).length;
  console.log(
    `${endpoints} endpoints (${count('hanging')} will hang, ${count('refusing')} refuse), ${perSecond} deliveries per second in clumps of ${clump}, ` +
      `answered after ${latencyMs} ms; at the start of a phase ${burst} more for each of the sick; ${seconds} s a phase`,
  );

  await load('warm-up', warmUpSeconds, []);
  const atStart = watch.processor();
  await load('well', seconds, sick);
  const afterWell = watch.processor();
  await delay(drainMs);
  const before = { rssMib: watch.mostRssMib(), oldest: watch.oldestUncommitted().most };
  await receivers.hanging.behave('hang');
  await receivers.refusing.behave('refuse');
  const beforeSick = watch.processor();
  await load('sick', seconds, sick);
  const atEnd = watch.processor();
  await delay(drainMs);

  const arrivals = await receivers.healthy.arrivals();
  const latencies = (...parts: string[]): number[] => parts.flatMap((part) => Object.values(arrivals[part] ?? {}));
  const compared = {
    'the whole phase': [latencies('well', settledPart('well')), latencies('sick', settledPart('sick'))],
    'without its start': [latencies(settledPart('well')), latencies(settledPart('sick'))],
  } as const;
  const ratios = Object.entries(compared).map(([part, [well, beside]]) => {
    const ratio = percentile(beside, 0.99) / percentile(well, 0.99);
    console.log(`${part}: all well         ${well.length} arrivals  ${describeLatencies(well)}`);
    console.log(`${part}: beside sick ones ${beside.length} arrivals  ${describeLatencies(beside)}`);
    console.log(`${part}: p99 ${ratio.toFixed(2)} times as long (aim: ${aim})`);
    return well.length === beside.length ? ratio : Infinity;
  });
  const oldest = watch.oldestUncommitted();
  console.log(
    `the dispatcher, all well: ${describeProcessor(atStart, afterWell)}; beside sick ones: ${describeProcessor(beforeSick, atEnd)}`,
  );
  console.log(
    `memory of the dispatcher: ${before.rssMib.toFixed(0)} MiB, then ${watch.mostRssMib().toFixed(0)} MiB at the most`,
  );
  console.log(
    `oldest record not committed: ${before.oldest.toFixed(1)} s, then ${oldest.most.toFixed(1)} s at the most, ${oldest.now.toFixed(1)} s at the end`,
  );
  const [whole = Infinity, settled = Infinity] = ratios;
  const verdict = Math.max(whole, settled) <= aim ? '' : `, aim at most ${aim}: **missed**`;
  record(
    `p99 beside the sick ${whole.toFixed(2)} times that without them, ${settled.toFixed(2)} without the first ${settledAfterSeconds} s${verdict}; ${watch.mostRssMib().toFixed(0)} MiB`,
  );
  await watch.stop();
  await offsets.close();
  process.exitCode = Math.max(...ratios) <= aim ? 0 : 1;
} finally {
  await world.stop();
  for (const receiver of Object.values(receivers)) receiver.stop();
  await stopServers();
}
