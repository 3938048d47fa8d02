/**
 * Measures the cost of tracing in the ingress, in processor time a webhook: the real app with a producer that acknowledges at once, so that
 * only our own code is measured. The modes take turns in one run, so that other load affects all of them.
 *
 *   npm run -s tracing-cost [-- --turns 25 --webhooks 1000]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger, systemClock } from '#lib/runtime';
import { createTracing, Metrics, noTracer, type Tracer } from '#lib/telemetry';
import { signedRankZ } from '../../support/signed-rank.ts';
import { closeApps, createHarness, signed } from '../../unit/ingress/harness.ts';
import { createEvidenceRecorder } from '../../evidence/evidence.ts';
import { median } from '../support/median.ts';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '25' },
    webhooks: { type: 'string', default: '1000' },
    record: { type: 'boolean', default: false },
  },
});
const record = createEvidenceRecorder('tracing-cost', values.record);
const [turns, webhooks] = [Number(values.turns), Number(values.webhooks)];
const body = JSON.stringify({ id: 'evt', type: 'order.paid', note: 'x'.repeat(2_000) });
const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = (flags: string): string => `00-${traceId}-b7ad6b7169203331-${flags}`;

const collector = fork(join(import.meta.dirname, 'collector-process.ts'));
const [{ port }] = (await once(collector, 'message')) as [{ port: number }];

const tracing = await createTracing({
  settings: {
    url: `http://127.0.0.1:${port}/v1/traces`,
    headers: {},
    compression: 'none',
    timeoutMs: 10_000,
    sampler: 'parentbased_always_on',
    ratio: 1,
    resource: { 'service.name': 'hookline-ingress' },
    maxQueued: 20_000,
    delayMs: 500,
  },
  metrics: new Metrics(),
  clock: systemClock,
  log: silentLogger,
  closeWithinMs: () => 5_000,
});

interface Mode {
  name: string;
  tracer: Tracer;
  flags: string;
}

/** Off twice: what one differs from the other by is what this run can't tell. */
const modes: readonly Mode[] = [
  { name: 'off', tracer: noTracer, flags: '01' },
  { name: 'off, again', tracer: noTracer, flags: '01' },
  { name: 'on, not sampled', tracer: tracing.tracer, flags: '00' },
  { name: 'on, every webhook sampled', tracer: tracing.tracer, flags: '01' },
];

const senders = modes.map(({ tracer, flags }) => {
  const { app, source, producer } = createHarness({ deps: { tracer } });
  const send = async (): Promise<void> => {
    const headers = { ...signed(body), 'content-type': 'application/json', traceparent: traceparent(flags) };
    const answer = await app.inject({ method: 'POST', url: `/v1/webhooks/${source.id}`, headers, payload: body });
    if (answer.statusCode !== 202) throw new Error(`answered ${answer.statusCode} ${answer.body}`);
  };
  const forget = (): void => void producer.records.splice(0);
  return { send, forget };
});

/** Microseconds of the processor a webhook, the exporter’s included. */
async function turn({ send, forget }: (typeof senders)[number]): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < webhooks; n += 1) await send();
  const { user, system } = process.cpuUsage(before);
  forget();
  return (user + system) / webhooks;
}

const costs = modes.map((): number[] => []);
for (const sender of senders) await turn(sender);
for (let n = 0; n < turns; n += 1) {
  for (const index of modes.keys()) {
    // The modes take turns in being first.
    const at = (index + n) % modes.length;
    costs[at]?.push(await turn(senders[at] as (typeof senders)[number]));
  }
}

const off = costs[0] as number[];
console.log(`${turns} turns of ${webhooks} webhooks of ${body.length} bytes each\n`);
for (const [index, { name }] of modes.entries()) {
  const own = costs[index] as number[];
  const ratios = own.map((cost, n) => cost / (off[n] as number));
  const pairs = own.map((cost, n) => [cost, off[n] as number] as const);
  const z = index === 0 ? '' : `, z ${signedRankZ(pairs).toFixed(1)}`;
  console.log(
    `${name.padEnd(26)} ${median(own).toFixed(1)} µs a webhook, ratio to off ${median(ratios).toFixed(3)}${z}`,
  );
}

record(
  `the ingress, a webhook: ${modes.map(({ name }, index) => `${name} ${median(costs[index] as number[]).toFixed(0)} µs`).join('; ')}`,
);

/** All that services ask of the tracer for one webhook that is delivered once: five records sent and three requests, alone in their batches. */
function askForOne(): void {
  for (let n = 0; n < 2; n += 1) {
    const span = noTracer.start({ kind: 'client', name: 'POST' }, body);
    if (span.isRecorded) span.set({});
    span.end();
  }
  for (let n = 0; n < 8; n += 1) {
    const span = noTracer.startBatch({ kind: 'producer', name: `send ${n}` }, [], () => undefined);
    if (span.isRecorded) span.set({});
    span.end();
  }
}
const calls = 200_000;
for (let n = 0; n < calls; n += 1) askForOne();
const before = process.cpuUsage();
for (let n = 0; n < calls; n += 1) askForOne();
const { user, system } = process.cpuUsage(before);
console.log(`\noff, all that is asked of the tracer for one webhook: ${((user + system) / calls).toFixed(2)} µs`);

await tracing.part.stop();
await closeApps();
collector.disconnect();
