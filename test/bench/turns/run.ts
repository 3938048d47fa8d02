/**
 * How long a turn of the event loop takes, in processor time, where all services are in one process: under small webhooks as fast as they go, large
 * ones that filters look into, events for many endpoints, and backlogs of both. The aim is 50 ms (docs/adr/0028-one-process.md).
 *
 *   HOOKLINE_TEST_SERVERS=… npm run -s turns [-- --profile --only large]
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hooklineDir } from '#deploy/local/paths.ts';
import { signHookline } from '#lib/signatures';
import { createApiClient } from '../../support/api-client.ts';
import { createPipeline } from '../../support/pipeline.ts';
import { startReceiver } from '../../support/receiver.ts';
import { createSender } from '../../support/sender.ts';
import { createDatabase, serverAddresses, uniquePrefix } from '../../support/servers.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createEvidenceRecorder } from '../../evidence/evidence.ts';

const { values } = parseArgs({
  options: {
    profile: { type: 'boolean', default: false },
    only: { type: 'string' },
    record: { type: 'boolean', default: false },
  },
});
const record = createEvidenceRecorder('turns', values.record);
const longest: string[] = [];
const aimMs = 50;
const answerTimeoutMs = 120_000;
const drainTimeoutMs = 300_000;
const dir = join(hooklineDir, 'bench');
const file = join(dir, 'turns.jsonl');
mkdirSync(dir, { recursive: true });
rmSync(file, { force: true });

const pipeline = await createPipeline({
  servers: serverAddresses(),
  topicPrefix: uniquePrefix('turns'),
  databaseUrl: await createDatabase(),
  processes: 'one',
  visitors: ['ingress-2'],
  env: {
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'probe.ts')}`,
    TURNS_FILE: file,
    TURNS_PROFILE: values.profile ? '1' : '0',
  },
});
const receiver = await startReceiver();
const { stack } = pipeline;
const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
let number = 0;

/** A JSON document of so many bytes, with about a hundred values a kilobyte for filters to compare. */
function bodyOf(bytes: number): Buffer {
  number += 1;
  const line = { sku: 'a-1', amount: 12.5, tags: ['a', 'b'], note: 'x'.repeat(60) };
  const lines = Array.from({ length: Math.max(1, Math.floor(bytes / JSON.stringify(line).length)) }, () => line);
  return Buffer.from(JSON.stringify({ id: `evt-${number}`, type: 'order.paid', lines }));
}

interface Load {
  bytes: number;
  webhooks: number;
  connections: number;
  endpoints: number;
  filter?: object;
  /** The processes are stopped while they are sent, but for an ingress. */
  asBacklog?: boolean;
}

const filter = { 'lines.amount': { $gt: 100 }, 'lines.note': 'none', 'lines.tags': { $in: ['c', 'd'] } };
const loads: Readonly<Record<string, Load>> = {
  small: { bytes: 2_000, webhooks: 2_000, connections: 64, endpoints: 1 },
  large: { bytes: 900_000, webhooks: 80, connections: 8, endpoints: 20, filter },
  wide: { bytes: 2_000, webhooks: 10, connections: 2, endpoints: 1_000 },
  'small backlog': { bytes: 2_000, webhooks: 2_000, connections: 64, endpoints: 1, asBacklog: true },
  'large backlog': { bytes: 900_000, webhooks: 60, connections: 8, endpoints: 1, asBacklog: true },
};

async function run(name: string, load: Load): Promise<void> {
  const source = await api.createSource({ name, scheme: 'hookline' });
  for (let left = load.endpoints; left > 0; left -= 50)
    await Promise.all(
      Array.from({ length: Math.min(50, left) }, (_, index) =>
        api.createEndpoint({
          url: receiver.url(`${name.replace(' ', '-')}-${left}-${index}`),
          source_ids: [source.id],
          ...(load.filter && { filter: load.filter }),
        }),
      ),
    );
  if (load.asBacklog) {
    await pipeline.stopService('ingress');
    await pipeline.startService('ingress-2');
  }
  const sender = createSender({
    ingestUrl: load.asBacklog
      ? source.ingest_url.replace(stack.ingressUrl, pipeline.ingressUrl('ingress-2'))
      : source.ingest_url,
    sourceId: source.id,
    random: Math.random,
  });
  const atMs = Date.now();
  let left = load.webhooks;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const body = bodyOf(load.bytes);
      const timestampSeconds = Math.floor(Date.now() / 1000);
      const headers = {
        'content-type': 'application/json',
        'hookline-signature': signHookline({ secret: source.secret, timestampSeconds, body: body.toString() }),
      };
      await sender.sendUntilAnswered({ identity: String(number), body, headers }, answerTimeoutMs);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, work));
  if (load.asBacklog) {
    await pipeline.stopService('ingress-2');
    await pipeline.startService('ingress');
  }
  const since = new Date(atMs).toISOString();
  await waitUntil(
    `${name} is done`,
    async () => {
      const events = await api.eventsSince(since);
      return (
        events.filter(({ source_id, status }) => source_id === source.id && status === 'completed').length ===
        load.webhooks
      );
    },
    { timeoutMs: drainTimeoutMs, everyMs: 2_000 },
  );
  sender.close();
  report(name, atMs);
}

interface Turn {
  ms: number;
  atMs: number;
  doing?: string[];
}

function report(name: string, sinceMs: number): void {
  const turns = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Turn)
        .filter(({ atMs }) => atMs >= sinceMs)
        .sort((a, b) => b.ms - a.ms)
    : [];
  const above = turns.filter(({ ms }) => ms > aimMs).length;
  longest.push(`${name} ${turns[0]?.ms ?? '< 15'} ms${above > 0 ? ' (**missed**)' : ''}`);
  console.log(`${name}: longest ${turns[0]?.ms ?? '< 15'} ms, ${above} above ${aimMs} ms, ${turns.length} above 15 ms`);
  for (const { ms, doing = [] } of turns.slice(0, 3))
    if (values.profile) console.log(`  ${ms} ms\n    ${doing.join('\n    ')}`);
}

try {
  await pipeline.start();
  for (const [name, load] of Object.entries(loads))
    if (values.only === undefined || values.only.split(',').includes(name)) await run(name, load);
  record(`longest turn: ${longest.join(', ')}; aim ${aimMs} ms`);
} catch (error) {
  console.error(pipeline.describe());
  throw error;
} finally {
  await pipeline.stop();
  await receiver.stop();
}
