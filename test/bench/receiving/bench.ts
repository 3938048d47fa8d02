/**
 * Compares the cost of accepting a webhook with that of a bare server, and of one that only writes webhooks to Kafka.
 *
 * In turns: the two, then one ingress process, each with the same senders, which send their next webhook after the answer. Then the ingress
 * at fractions of that rate, in an open loop: latency counts from when a request was due. In the end every accepted webhook must be on the
 * topic.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { hooklineDir } from '#deploy/local/paths.ts';
import { topicDefinitions, topicsOf } from '#lib/contract';
import { createTopics } from '#lib/kafka';
import { silentLogger, systemClock } from '#lib/runtime';
import { startFaultyServers } from '../../faults/support/servers.ts';
import { createApiClient } from '../../support/api-client.ts';
import { connectKafkaOffsets } from '../../support/kafka-offsets.ts';
import { quantile } from '../../support/load/latencies.ts';
import { type LoadJob, type LoadReport, type LoadSource, runLoad } from '../../support/load/load.ts';
import { createPipeline, type Pipeline } from '../../support/pipeline.ts';
import { receiptsOnTopic } from '../../support/receipts-on-topic.ts';
import type { Bench, BenchReport, BegunBench } from '../support/bench.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { median } from '../support/median.ts';
import { profilingInto } from '../support/profiling-into.ts';
import { type Cost, costOf, measureCost } from './cost-of.ts';
import { latencyPlot, type Rate } from './plots.ts';

type Settings = 'seconds' | 'turns' | 'connections' | 'bytes';

const sourceCount = 4;
const openLoopConnections = 256;
const warmUpSeconds = 5;
const ceilingWarmUpSeconds = 2;
/** Shares of the rate that it took: the aims are at half of it. */
const otherShares = [0.1, 0.25, 0.75, 0.9];

export const receivingBench: Bench<Settings> = {
  name: 'receiving',
  says: 'one ingress process beside a bare server that reads, computes a signature and answers, and one that keeps, too',
  numbers: { seconds: 10, turns: 3, connections: 64, bytes: 2_048 },
  run: async (begun) => {
    const servers = await startFaultyServers();
    const profileFile = join(hooklineDir, 'profiles', `receiving-${process.pid}.cpuprofile`);
    const pipeline = await createPipeline({
      servers: servers.addresses,
      topicPrefix: 'bench.',
      databaseUrl: servers.addresses.databaseUrl,
      services: ['ingress', 'api'],
      env: { HOOKLINE_LOG_LEVEL: 'warn' },
      envOf: (name) => (name === 'ingress' && begun.profile ? profilingInto(profileFile) : {}),
    });
    let report: BenchReport;
    try {
      await pipeline.start();
      report = await measure(pipeline, begun);
    } catch (error) {
      begun.say(pipeline.describe());
      throw error;
    } finally {
      await pipeline.stop();
      await servers.close();
    }
    return begun.profile ? { ...report, notes: [...report.notes, describeProfile(profileFile)] } : report;
  },
};

async function measure(pipeline: Pipeline, { numbers, say }: BegunBench<Settings>): Promise<BenchReport> {
  const { seconds, turns, connections, bytes } = numbers;
  const { stack } = pipeline;
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const sources: LoadSource[] = [];
  for (let each = 0; each < sourceCount; each += 1)
    sources.push(await api.createSource({ name: `bench ${each}`, scheme: 'hookline' }));
  const job = (name: string, url: string, more: Partial<LoadJob> = {}): LoadJob => ({
    name,
    ingressUrl: url,
    sources,
    perSecond: undefined,
    seconds,
    connections,
    bodyBytes: bytes,
    ...more,
  });
  const receipts = new Set<string>();
  const load = async (jobOf: LoadJob): Promise<LoadReport> => {
    const report = await runLoad([jobOf]);
    for (const id of Object.values(report.receipts).flat()) receipts.add(id);
    return report;
  };
  let kept = 0;
  const ceilingTopic = await createCeilingTopic(stack);
  const keepingTurn = (): Promise<Cost> =>
    turnOf('keeping-server-process.ts', [stack.kafkaBrokers[0] ?? '', ceilingTopic], (accepted) => (kept += accepted));
  const turnOf = async (
    program: string,
    args: readonly string[] = [],
    onAccepted: (count: number) => void = () => undefined,
  ): Promise<Cost> => {
    const server = fork(join(import.meta.dirname, program), args);
    try {
      const [{ port }] = (await once(server, 'message')) as [{ port: number }];
      const url = `http://127.0.0.1:${port}`;
      const loadCeiling = async (more: Partial<LoadJob>): Promise<LoadReport> => {
        const report = await runLoad([job('ceiling', url, more)]);
        onAccepted(report.answers['202'] ?? 0);
        return report;
      };
      await loadCeiling({ seconds: ceilingWarmUpSeconds });
      return await costOf(server.pid ?? 0, () => loadCeiling({}));
    } finally {
      server.disconnect();
    }
  };

  const pid = pipeline.processIds()['ingress'] ?? 0;
  await load(job('warm-up', stack.ingressUrl, { seconds: warmUpSeconds }));
  const [bare, keeping, ours]: [Cost[], Cost[], Cost[]] = [[], [], []];
  for (let turn = 1; turn <= turns; turn += 1) {
    bare.push(await turnOf('bare-server-process.ts'));
    keeping.push(await keepingTurn());
    ours.push(await costOf(pid, () => load(job(`turn-${turn}`, stack.ingressUrl))));
    say(
      `turn ${turn}: bare server ${describe(bare.at(-1))}; one that keeps ${describe(keeping.at(-1))}; ingress ${describe(ours.at(-1))}`,
    );
  }
  const most = median(ours.map(({ perSecond }) => perSecond));
  const atShare = async (share: number): Promise<Rate> => {
    const due = Math.round(share * most);
    const open = { perSecond: due, seconds: 2 * seconds, connections: openLoopConnections };
    const rate = { due, ...(await measureCost(pid, () => load(job(`at-${share}`, stack.ingressUrl, open)))) };
    say(`${due} a second: p99 ${quantile(rate.report.latencies, 0.99)} ms, ${rate.microsEach.toFixed()} µs each`);
    return rate;
  };
  const half = await atShare(0.5);
  const rates = [half];
  for (const share of otherShares) rates.push(await atShare(share));
  const { report: open } = half;
  const onTopic = await receiptsOnTopic(stack);
  const onCeilingTopic = await recordsOn(stack, ceilingTopic);
  const missing = [...receipts].filter((id) => !onTopic.has(id)).length;
  const latency = (share: number): number[] => [quantile(open.latencies, share)];
  return {
    setUp:
      `webhooks of ${bytes} bytes from one sender process over ${connections} connections, ${turns} turns of ${seconds} s; ` +
      'one broker, 3 partitions',
    figures: [
      {
        name: 'accepted',
        unit: 'a second',
        values: ours.map(({ perSecond }) => perSecond),
        aim: { atLeast: 0.7 },
        ceiling: { name: 'bare server', values: bare.map(({ perSecond }) => perSecond) },
      },
      {
        name: 'processor time',
        unit: 'µs a webhook',
        values: ours.map(({ microsEach }) => microsEach),
        aim: { atMost: 1.6 },
        ceiling: { name: 'bare server', values: bare.map(({ microsEach }) => microsEach) },
      },
      {
        name: 'accepted, beside a server that keeps them',
        unit: 'a second',
        aim: { atLeast: 0.8 },
        values: ours.map(({ perSecond }) => perSecond),
        ceiling: { name: 'server with a produce loop', values: keeping.map(({ perSecond }) => perSecond) },
      },
      {
        name: 'processor time, beside a server that keeps them',
        unit: 'µs a webhook',
        values: ours.map(({ microsEach }) => microsEach),
        ceiling: { name: 'server with a produce loop', values: keeping.map(({ microsEach }) => microsEach) },
      },
      { name: 'acknowledged at half of that, p50', unit: 'ms', values: latency(0.5) },
      { name: 'acknowledged at half of that, p99', unit: 'ms', values: latency(0.99), aim: { atMost: 20 } },
      { name: 'acknowledged at half of that, p99.9', unit: 'ms', values: latency(0.999), aim: { atMost: 100 } },
    ],
    notes: [
      `${half.due} a second were due for ${2 * seconds} s; ${open.held} of ${open.due} held back for want of a connection, the sender itself late by ${open.ownDelayMs.toFixed(0)} ms at worst`,
      `${receipts.size} accepted, each on the topic but ${missing}`,
    ],
    plots: [latencyPlot(rates)],
    unaccounted: [
      ...(missing > 0 ? [`${missing} of ${receipts.size} webhooks that were accepted are not on the topic`] : []),
      ...(onCeilingTopic < kept ? [`the ceiling has kept ${onCeilingTopic} of ${kept} webhooks`] : []),
    ],
  };
}

/** As the ingress's own is made; of one partition, and without a reader. */
async function createCeilingTopic({ kafkaBrokers, topicPrefix }: Pipeline['stack']): Promise<string> {
  const name = `${topicPrefix}ceiling`;
  const own = topicDefinitions({ topicPrefix, partitions: 1, replicationFactor: 1 });
  const received = own.find((each) => each.name === topicsOf(topicPrefix)['webhooks.received']);
  const common = { clock: systemClock, log: silentLogger };
  if (received !== undefined) await createTopics({ brokers: kafkaBrokers }, [{ ...received, name }], common);
  return name;
}

async function recordsOn({ kafkaBrokers }: Pipeline['stack'], topic: string): Promise<number> {
  const offsets = await connectKafkaOffsets(kafkaBrokers);
  try {
    return Object.values(await offsets.ends([topic])).reduce((sum, end) => sum + end, 0);
  } finally {
    await offsets.close();
  }
}

const describe = (cost: Cost | undefined): string =>
  `${cost?.perSecond.toFixed(0)} a second, ${cost?.microsEach.toFixed(0)} µs each`;
