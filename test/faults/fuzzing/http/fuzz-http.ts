/**
 * Sends each route sound requests and mutations of them, a batch at a time; between two batches a sound webhook and a sound call must get
 * their answers. A refused request must not have left anything.
 */
import { topicsOf } from '#lib/contract';
import type { Pipeline } from '../../../support/pipeline.ts';
import { createApiClient } from '../../../support/api-client.ts';
import { connectKafkaOffsets } from '../../../support/kafka-offsets.ts';
import { createLimit } from '../../../support/limit.ts';
import type { ServiceName } from '../../../support/stack.ts';
import { seedOf, shuffled } from '../../../support/seeded-random.ts';
import type { Finding } from '../findings.ts';
import type { Tables } from '../tables.ts';
import { createControl } from './control.ts';
import { isBroken, judgeExchange } from './judge-answer.ts';
import { garbage, requestsIn } from './mutations/garbage.ts';
import { mutationsOf } from './mutations/index.ts';
import type { SoundRequest } from './mutations/mutation.ts';
import { createPools, type Pools } from '../pools.ts';
import { soundProbe } from './probes.ts';
import { bytesOf, exchange, type RawRequest } from './raw-request.ts';
import { adminRoutes, apiRoutes, type FuzzedRoute, ingressRoutes, isAdmin, nameOf } from './routes.ts';
import { createSoundRequests, tenant } from './sound-requests.ts';
import { createSources, soundWebhook } from './webhooks.ts';

export interface HttpOptions {
  pipeline: Pipeline;
  tables: Tables;
  receiverUrl: string;
  seed: number;
  /**
   * For each route; one of the ingress, through which all the world may come, gets eight times as many, one for operators, whose code all
   * services share, a quarter.
   */
  requests: number;
  say(line: string): void;
}

interface RouteResult {
  route: string;
  requests: number;
  /** How often each kind of request was sent. */
  kinds: Record<string, number>;
  /** How many of each status; `closed` where the connection was. */
  answers: Record<string, number>;
}

export interface HttpResult {
  routes: RouteResult[];
  known: string[];
  controls: number;
  /** Receipts of webhooks that were taken. */
  receipts: string[];
  findings: Finding[];
}

const concurrency = 6;
const answerTimeoutMs = 25_000;
const garbageShare = 0.12;
const shownBytes = 400;

function timesOf(route: FuzzedRoute, requests: number): number {
  if (isAdmin(route)) return Math.ceil(requests / 4);
  return route.service === 'api' ? requests : requests * 8;
}

export async function fuzzHttp(options: HttpOptions): Promise<HttpResult> {
  const { pipeline, seed, requests, say, tables, receiverUrl } = options;
  const { apiUrl, ingressUrl, adminKey } = pipeline.stack;
  const adminUrlOf = (service: ServiceName): string => new URL(pipeline.metricsUrl(service)).origin;
  const routes = [...(await ingressRoutes(ingressUrl)), ...(await apiRoutes(apiUrl)), ...adminRoutes(adminUrlOf)];
  const control = await createControl(pipeline.stack);
  const sound = createSoundRequests({ apiUrl, adminKey, receiverUrl });
  const api = createApiClient({ url: apiUrl, adminKey });
  const ingress = { ingressUrl, createSource: api.createSource };
  const sources = await createSources(ingress);
  const findings: Finding[] = [];
  const results: RouteResult[] = [];
  const receipts: string[] = [];

  const offsets = await connectKafkaOffsets(pipeline.stack.kafkaBrokers);
  const received = topicsOf(pipeline.stack.topicPrefix)['webhooks.received'];
  const countMade = async ({ service }: FuzzedRoute): Promise<Record<string, number>> => {
    if (service !== 'ingress') return tables.countMade([tenant]);
    const ends = Object.values(await offsets.ends([received]));
    return { [received]: ends.reduce((sum, end) => sum + end, 0) };
  };
  try {
    for (const route of routes) {
      const pools = createPools(seedOf(seed, nameOf(route)));
      if (route.service === 'api') await sound.renew(route);
      const next = (): SoundRequest => {
        if (isAdmin(route)) return soundProbe(route);
        return route.service === 'api' ? sound.of(route, pools) : soundWebhook(route, sources, ingress, pools);
      };
      const before = await countMade(route);
      const batch = await sendBatch({ route, next, pools, times: timesOf(route, requests) });
      findings.push(...batch.findings);
      receipts.push(...batch.receipts);
      results.push({ route: nameOf(route), ...batch.tally });
      findings.push(...leftByRefused(route, batch, before, await countMade(route)));
      findings.push(...(await control.ask(nameOf(route))));
      say(`  ${nameOf(route)}: ${JSON.stringify(batch.tally.answers)}`);
    }
  } finally {
    await offsets.close();
  }
  findings.push(...untouched(routes, results));
  receipts.push(...control.receipts);
  return { routes: results, known: routes.map(nameOf), controls: control.asked(), receipts, findings };
}

interface Batch {
  tally: Omit<RouteResult, 'route'>;
  /** POSTs, or what became one, that were answered 2xx. */
  succeeded: number;
  /** Requests without an answer: their outcome is unknown. */
  unanswered: number;
  receipts: string[];
  findings: Finding[];
}

async function sendBatch(options: {
  route: FuzzedRoute;
  next: () => SoundRequest;
  pools: Pools;
  times: number;
}): Promise<Batch> {
  const { route, next, pools, times } = options;
  const { sound: asIs, ...others } = mutationsOf(route);
  // In an order of the route's own, so that a small run has all kinds, though not each on every route.
  const mutations = [['sound', asIs] as const, ...shuffled(Object.entries(others), pools.random)];
  const batch: Batch = {
    tally: { requests: 0, kinds: {}, answers: {} },
    succeeded: 0,
    unanswered: 0,
    receipts: [],
    findings: [],
  };
  const inTurn = createLimit(concurrency);
  const send = async (kind: string, bytes: Buffer, isHead: boolean): Promise<void> => {
    const came = await exchange({
      url: route.url,
      bytes,
      isHead,
      timeoutMs: answerTimeoutMs,
      untilAnswer: !isBroken(kind),
    });
    const sent = bytes.toString('latin1', 0, shownBytes);
    batch.findings.push(...judgeExchange({ route, kind, sent }, came));
    batch.tally.requests += 1;
    count(batch.tally.kinds, kind);
    if (came.answers.length === 0) count(batch.tally.answers, came.connection);
    batch.unanswered += Math.max(0, requestsIn(kind) - came.answers.length);
    for (const { status, body } of came.answers) {
      count(batch.tally.answers, String(status));
      // Kafka may have taken it all the same.
      if (status === 503) batch.unanswered += 1;
      if (status < 200 || status >= 300) continue;
      batch.succeeded += 1;
      const receipt = /"id":"(rcp_\w+)"/.exec(body.toString('utf8', 0, 200))?.[1];
      if (receipt !== undefined && route.service === 'ingress') batch.receipts.push(receipt);
    }
  };
  // All of them are made before the first is sent: what they are depends on the seed alone, not on who is answered first.
  const made = Array.from({ length: times }, (_, index) => {
    const sound = next();
    if (pools.random() < garbageShare) return { isHead: sound.method === 'HEAD', ...garbage(bytesOf(sound), pools) };
    const [kind, mutate] = mutations[index % mutations.length] as (typeof mutations)[number];
    const request: RawRequest = mutate?.(sound, pools) ?? sound;
    return { kind, bytes: bytesOf(request), isHead: request.method === 'HEAD' };
  });
  await Promise.all(made.map(({ kind, bytes, isHead }) => inTurn(() => send(kind, bytes, isHead))));
  return batch;
}

function leftByRefused(
  route: FuzzedRoute,
  { succeeded, unanswered }: Batch,
  before: Record<string, number>,
  after: Record<string, number>,
): Finding[] {
  return Object.entries(after).flatMap(([where, there]) => {
    const made = there - (before[where] ?? 0);
    return made <= succeeded + unanswered
      ? []
      : [
          {
            finding: 'left-by-refused',
            says: `${nameOf(route)}: ${made} more in ${where}, ${succeeded} requests answered 2xx`,
          },
        ];
  });
}

function untouched(routes: readonly FuzzedRoute[], results: readonly RouteResult[]): Finding[] {
  const reached = new Set(
    results.flatMap(({ route, answers }) => (Object.keys(answers).some((status) => /^\d/.test(status)) ? [route] : [])),
  );
  return routes.map(nameOf).flatMap((name) => (reached.has(name) ? [] : [{ finding: 'route-untouched', says: name }]));
}

const count = (counts: Record<string, number>, name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
