/**
 * Sends each route sound requests and broken ones, a batch at a time; between two batches a sound webhook and a sound call must get their
 * answers. A refused request must not have left anything.
 */
import { topicsOf } from '#lib/contract';
import type { Query } from '#lib/postgres';
import type { Pipeline } from '../../../support/pipeline.ts';
import { connectKafkaOffsets } from '../../../support/kafka-offsets.ts';
import { createLimit } from '../../../support/limit.ts';
import { connectApi } from '../connect-api.ts';
import type { Draw } from '../draw.ts';
import type { Finding } from '../findings.ts';
import { type Case, type CaseOptions, makeCases, planOf } from './cases.ts';
import { createControl } from './control.ts';
import { judgeExchange } from './judge-answer.ts';
import { kindsByHand } from './kinds/by-hand.ts';
import { kindsByPart } from './kinds/by-part.ts';
import { exchange } from './raw-request.ts';
import { adminRoutes, apiRoutes, type FuzzedRoute, ingressRoutes } from './routes.ts';
import { createSoundRequests, tenant } from './sound-requests.ts';
import type { SoundRequest } from './sound-request.ts';
import { createSources, soundWebhook } from './webhooks.ts';

export interface HttpOptions extends CaseOptions {
  pipeline: Pipeline;
  tables: Query;
  receiverUrl: string;
  say(line: string): void;
}

export interface HttpResult {
  routes: (Tally & { route: string })[];
  /** How many routes there are. */
  known: number;
  controls: number;
  /** Receipts of webhooks that were taken. */
  receipts: string[];
  findings: Finding[];
}

interface Tally {
  requests: number;
  /** How often each kind of request was sent. */
  kinds: Record<string, number>;
  /** How many of each status; `closed` where the connection was. */
  answers: Record<string, number>;
}

interface Batch extends Tally {
  /** Answers 2xx, and requests whose outcome is unknown. */
  mayHaveLeft: number;
}

const concurrency = 6;
const answerTimeoutMs = 25_000;
const shownBytes = 400;
/** Tables that requests write to. */
const made = ['sources', 'endpoints', 'api_keys', 'events', 'replays'];

export async function fuzzHttp(options: HttpOptions): Promise<HttpResult> {
  const { pipeline, tables } = options;
  const { stack } = pipeline;
  const routes = [
    ...(await ingressRoutes(stack.ingressUrl)),
    ...(await apiRoutes(stack.apiUrl)),
    ...adminRoutes((service) => new URL(pipeline.metricsUrl(service)).origin),
  ];
  const control = await createControl(stack);
  const sound = await createSoundRequests(stack, options.receiverUrl);
  const sources = await createSources(connectApi(stack));
  const findings: Finding[] = [];
  const results: HttpResult['routes'] = [];
  const receipts: string[] = [];
  const offsets = await connectKafkaOffsets(stack.kafkaBrokers);
  const received = topicsOf(stack.topicPrefix)['webhooks.received'];
  const soundOf = (route: FuzzedRoute, draw: Draw): SoundRequest =>
    route.service === 'ingress' ? soundWebhook(route, sources, draw) : sound.of(route, draw);
  const kinds = [...kindsByPart(sound), ...kindsByHand];

  async function countMade({ service }: FuzzedRoute): Promise<Record<string, number>> {
    if (service === 'ingress') {
      const ends = Object.values(await offsets.ends([received]));
      return { [received]: ends.reduce((sum, end) => sum + end, 0) };
    }
    const counts = made.map((table) => `(SELECT count(*) FROM ${table} WHERE tenant = $1)::int AS ${table}`);
    const [row] = await tables.query<Record<string, number>>(`SELECT ${counts.join(', ')}`, [tenant]);
    return row ?? {};
  }

  async function send(route: FuzzedRoute, { kind, caseName, bytes, isHead }: Case, batch: Batch): Promise<void> {
    const asked = { url: route.url, bytes, isHead, timeoutMs: answerTimeoutMs, untilAnswer: kind.isCut !== true };
    const came = await exchange(asked);
    findings.push(...judgeExchange({ route, kind, caseName, sent: bytes.toString('latin1', 0, shownBytes) }, came));
    batch.requests += 1;
    count(batch.kinds, kind.kind);
    if (came.answers.length === 0) count(batch.answers, came.connection);
    batch.mayHaveLeft += Math.max(0, (kind.requests ?? 1) - came.answers.length);
    for (const { status, body } of came.answers) {
      count(batch.answers, String(status));
      const isTaken = status >= 200 && status < 300;
      // Kafka may have taken what was answered 503 all the same.
      if (isTaken || status === 503) batch.mayHaveLeft += 1;
      const [, receipt] = /"id":"(rcp_\w+)"/.exec(body.toString('utf8', 0, 200)) ?? [];
      if (isTaken && receipt !== undefined && route.service === 'ingress') receipts.push(receipt);
    }
  }

  try {
    for (const route of routes) {
      const planned = planOf(route, kinds, options);
      if (planned.length === 0) continue;
      if (route.service === 'api') await sound.renew(route);
      const cases = makeCases(planned, options.seed, (draw) => soundOf(route, draw));
      const batch: Batch = { requests: 0, kinds: {}, answers: {}, mayHaveLeft: 0 };
      const before = await countMade(route);
      const inTurn = createLimit(concurrency);
      await Promise.all(cases.map((each) => inTurn(() => send(route, each, batch))));
      for (const [where, there] of Object.entries(await countMade(route))) {
        const more = there - (before[where] ?? 0);
        const says = `${route.name}: ${more} more in ${where}, ${batch.mayHaveLeft} requests that may have left one`;
        if (more > batch.mayHaveLeft) findings.push({ finding: 'left-by-refused', says });
      }
      if (!Object.keys(batch.answers).some((status) => /^\d/.test(status)))
        findings.push({ finding: 'route-untouched', says: route.name });
      results.push({ route: route.name, ...batch });
      findings.push(...(await control.ask(route.name)));
      options.say(`  ${route.name}: ${JSON.stringify(batch.answers)}`);
    }
  } finally {
    await offsets.close();
  }
  receipts.push(...control.receipts);
  return { routes: results, known: routes.length, controls: control.asked(), receipts, findings };
}

const count = (counts: Record<string, number>, name: string): void => void (counts[name] = (counts[name] ?? 0) + 1);
