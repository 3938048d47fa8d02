/**
 * What accepting a webhook costs beside a bare server: `npm run -s receiving [-- --seconds 10 --turns 3 --profile]`.
 *
 * In turns: the bare server, then one ingress process, each from the same senders, each of which sends its next webhook when the last is
 * answered. Then the ingress at half of what it took, in an open loop: latency counts from when a request was due. In the end every webhook
 * that was accepted has to stand on the topic.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { quantile } from '../../faults/overload/latencies.ts';
import { type LoadJob, type LoadReport, type LoadSource, runLoad } from '../../faults/overload/load.ts';
import { receiptsOnTopic } from '../../faults/overload/receipts-on-topic.ts';
import { startFaultyServers } from '../../faults/support/servers.ts';
import { createApiClient } from '../../support/api-client.ts';
import { createPipeline } from '../../support/pipeline.ts';
import { describeProfile } from '../support/describe-profile.ts';
import { median } from '../support/median.ts';
import { processorSeconds } from '../support/processor-seconds.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    turns: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    bytes: { type: 'string', default: '2048' },
    profile: { type: 'boolean', default: false },
  },
});
const [seconds, turns, connections, bytes] = [values.seconds, values.turns, values.connections, values.bytes].map(
  Number,
) as [number, number, number, number];
const aims = { rate: 0.7, processor: 1.6, p99Ms: 20, p999Ms: 100 };
const sourceCount = 4;
const openLoopConnections = 256;
const warmUpSeconds = 5;

interface Cost {
  perSecond: number;
  microsEach: number;
}

const accepted = (report: LoadReport): number => report.answers['202'] ?? 0;
const job = (name: string, url: string, more: Partial<LoadJob> = {}): LoadJob => ({
  ...{ name, ingressUrl: url, sources, perSecond: undefined, seconds, connections, bodyBytes: bytes },
  ...more,
});

const receipts = new Set<string>();
async function load(jobOf: LoadJob): Promise<LoadReport> {
  const report = await runLoad([jobOf]);
  for (const id of Object.values(report.receipts).flat()) receipts.add(id);
  return report;
}

async function costOf(pid: number, work: () => Promise<LoadReport>): Promise<Cost> {
  const before = processorSeconds(pid);
  const report = await work();
  const others = report.sent - accepted(report);
  if (others > 0)
    throw new Error(`of ${report.sent} sent ${others} were not accepted: ${JSON.stringify(report.answers)}`);
  return {
    perSecond: accepted(report) / report.seconds,
    microsEach: ((processorSeconds(pid) - before) * 1e6) / accepted(report),
  };
}

async function bareTurn(): Promise<Cost> {
  const server = fork(join(import.meta.dirname, 'bare-server-process.ts'));
  try {
    const [{ port }] = (await once(server, 'message')) as [{ port: number }];
    const url = `http://127.0.0.1:${port}`;
    await runLoad([job('warm-up', url, { seconds: 1 })]);
    return await costOf(server.pid ?? 0, () => runLoad([job('bare', url)]));
  } finally {
    server.disconnect();
  }
}

const describe = ({ perSecond, microsEach }: Cost): string =>
  `${perSecond.toFixed(0)} a second, ${microsEach.toFixed(0)} µs of processor time each`;

const servers = await startFaultyServers();
const profileDir = join(hooklineDir, 'profiles');
const profileName = `receiving-${process.pid}.cpuprofile`;
mkdirSync(profileDir, { recursive: true });
const profiling: Record<string, string> = {
  NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir} --cpu-prof-name=${profileName}`,
};
const pipeline = await createPipeline({
  servers: servers.addresses,
  topicPrefix: 'bench.',
  databaseUrl: servers.addresses.databaseUrl,
  services: ['ingress', 'api'],
  env: { HOOKLINE_LOG_LEVEL: 'warn' },
  envOf: (name) => (name === 'ingress' && values.profile ? profiling : {}),
});
const sources: LoadSource[] = [];
let failed: boolean;
try {
  await pipeline.start();
  const { stack } = pipeline;
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  for (let each = 0; each < sourceCount; each += 1)
    sources.push(await api.createSource({ name: `bench ${each}`, scheme: 'hookline' }));
  const pid = pipeline.processIds()['ingress'] ?? 0;
  console.log(
    `webhooks of ${bytes} bytes, ${connections} connections of one sender process, ${seconds} s a turn; one broker, 3 partitions; ` +
      `${cpus().length} × ${cpus()[0]?.model}`,
  );
  await load(job('warm-up', stack.ingressUrl, { seconds: warmUpSeconds }));
  const [rates, costs, taken]: [number[], number[], number[]] = [[], [], []];
  for (let turn = 1; turn <= turns; turn += 1) {
    const bare = await bareTurn();
    const ours = await costOf(pid, () => load(job(`turn-${turn}`, stack.ingressUrl)));
    rates.push(ours.perSecond / bare.perSecond);
    costs.push(ours.microsEach / bare.microsEach);
    taken.push(ours.perSecond);
    console.log(`bare server  ${describe(bare)}`);
    console.log(
      `ingress      ${describe(ours)}; ratios ${rates.at(-1)?.toFixed(2)}, ${costs.at(-1)?.toFixed(2)}; load ${loadavg()[0]?.toFixed(1)}`,
    );
  }
  const half = Math.round(median(taken) / 2);
  const open = await load(
    job('half', stack.ingressUrl, { perSecond: half, seconds: 2 * seconds, connections: openLoopConnections }),
  );
  const onTopic = await receiptsOnTopic(stack);
  const missing = [...receipts].filter((id) => !onTopic.has(id)).length;
  const latency = [0.5, 0.99, 0.999].map((part) => quantile(open.latencies, part));
  console.log(`accepted a second: ${median(rates).toFixed(2)} of the bare server (aim ${aims.rate})`);
  console.log(`processor time: ${median(costs).toFixed(2)} times the bare server's (aim ${aims.processor})`);
  console.log(
    `at ${half} a second: p50 ${latency[0]}, p99 ${latency[1]}, p99.9 ${latency[2]} ms (aims: p99 ${aims.p99Ms}, p99.9 ${aims.p999Ms}); ` +
      `${open.held} of ${open.due} held back for want of a connection, the sender itself late by ${open.ownDelayMs.toFixed(0)} ms at worst`,
  );
  console.log(`${receipts.size} accepted, ${missing} of them not on the topic`);
  failed = missing > 0;
} catch (error) {
  console.log(pipeline.describe());
  throw error;
} finally {
  await pipeline.stop();
  await servers.close();
}
if (values.profile) console.log(describeProfile(join(profileDir, profileName)));
process.exit(failed ? 1 : 0);
