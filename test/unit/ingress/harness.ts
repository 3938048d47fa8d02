import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type SourceSettings, secretsContext } from '#lib/contract';
import type { RecordProducer } from '#lib/kafka';
import { networksOf } from '#lib/net';
import { createRateLimiter, type SharedBuckets } from '#lib/rate-limit';
import { AppError, createId, type Logger, noCrashPoints, silentLogger, systemClock } from '#lib/runtime';
import { createSecretBox } from '#lib/secret-box';
import { signHookline } from '#lib/signatures';
import { Metrics, noTracer } from '#lib/telemetry';
import { buildApp, type IngressDeps } from '../../../services/ingress/app.ts';
import { createAdmission } from '../../../services/ingress/load-shedding/admission.ts';
import { createBusyReport } from '../../../services/ingress/load-shedding/busy-report.ts';
import { createRateGate } from '../../../services/ingress/load-shedding/rate-gate.ts';
import { createIngressMetrics } from '../../../services/ingress/metrics.ts';
import type { Rejection } from '../../../services/ingress/rejections/rejection-row.ts';
import { readSource, type Source, type SourceRow } from '../../../services/ingress/sources/source.ts';
import { testTrails } from '../../support/trails.ts';
import { createFakeProducer, type FakeProducer } from './fake-producer.ts';

export const secretBox = createSecretBox([{ id: 'test', key: Buffer.alloc(32, 1) }]);
export const secret = 'whsec_c2VjcmV0';
export const newSourceId = (): string => createId('src', Date.now());

export function sourceRow(
  given: Partial<Omit<SourceRow, 'secrets'>> & { settings?: SourceSettings; stored?: unknown },
) {
  const { stored = [{ secret }], ...columns } = given;
  const tenant = given.tenant ?? 'acme';
  const id = given.id ?? newSourceId();
  const row: SourceRow = {
    tenant,
    id,
    scheme: 'hookline',
    settings: {},
    secrets: secretBox.seal(JSON.stringify(stored), secretsContext('sources', tenant, id)),
    deleted_at: null,
    changed_at: '2026-01-01T00:00:00.000000Z',
    buried: false,
    rejecting_since: null,
    dedup_rule: 2,
    ...columns,
  };
  return row;
}

export function sourceOf(given: Parameters<typeof sourceRow>[0] = {}): Source {
  const read = readSource(sourceRow(given), secretBox);
  if ('problem' in read) throw new Error(read.problem);
  return read.source;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json(): Record<string, unknown>;
}

interface Sent {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: Buffer | string;
}

export interface Harness {
  app: FastifyInstance;
  producer: FakeProducer;
  source: Source;
  /** Log lines at info and above, in order. */
  logged: { level: string; event: string; [fact: string]: unknown }[];
  /** Rejections that the source's owner would see, in order. */
  rejections: Rejection[];
  port(): Promise<number>;
  /** One request over a connection of its own; by default POST to the source. */
  send(request: Sent): Promise<Answer>;
  /** Value of one line of the metrics, 0 where it is not there. */
  metric(name: string, labels?: Record<string, string>): Promise<number>;
}

/** Redis is away: the process goes by itself. */
const noBuckets: SharedBuckets = {
  ask: () => Promise.reject(new AppError('redis_unavailable', 'there is none')),
};

const running: { app: FastifyInstance; listening(): Promise<unknown> }[] = [];

/** For afterEach: no test leaves a listener or a connection. */
export async function closeApps(): Promise<void> {
  for (const { app, listening } of running.splice(0)) {
    await listening();
    app.server.closeAllConnections();
    await app.close();
  }
}

interface HarnessOptions {
  source?: Source;
  /** Instead of the one that acknowledges. */
  producer?: Pick<RecordProducer, 'send'>;
  /** The event-loop delay as admission sees it. */
  loopDelayMs?: () => number;
  deps?: Partial<IngressDeps>;
}

/** The app over one source (of id `source.id`) and a producer that acknowledges. */
export function createHarness(given: HarnessOptions = {}): Harness {
  const source = given.source ?? sourceOf();
  const producer = createFakeProducer();
  const registry = new Metrics();
  const logged: Harness['logged'] = [];
  const rejections: Rejection[] = [];
  const collect =
    (level: string) =>
    (line: { event: string }): void =>
      void logged.push({ level, ...line });
  const log: Logger = {
    ...silentLogger,
    isOn: () => true,
    info: collect('info'),
    warn: collect('warn'),
    error: collect('error'),
  };
  const clock = given.deps?.clock ?? systemClock;
  const metrics = createIngressMetrics(registry, { records: () => producer.pending().records, maxRecords: 0 });
  const reportBusy = createBusyReport({ metrics, clock, log });
  const app = buildApp({
    sources: {
      known: (id) => (id === source.id ? source : undefined),
      lookUp: async () => 'unknown',
      recent: () => undefined,
    },
    credentialNames: { of: () => undefined, recent: () => undefined },
    admission: createAdmission({
      producer: { ...producer, ...given.producer },
      loopDelay: { currentMs: given.loopDelayMs ?? (() => 0) },
      clock,
      maxPendingRecords: 1_000,
      maxPendingBytes: 64 * 1024 * 1024,
      onRefusal: reportBusy,
    }),
    rateGate: createRateGate(createRateLimiter({ buckets: noBuckets, clock, log })),
    answerDelay: { wait: async () => undefined },
    reportBusy,
    maxConnections: 1_000,
    topic: 'test.webhooks.received',
    trails: testTrails,
    clock,
    random: (size) => Buffer.alloc(size, 7),
    crashPoints: noCrashPoints,
    metrics,
    tracer: noTracer,
    rejections: { record: (rejection) => void rejections.push(rejection) },
    rejectingSources: { accepted: () => undefined, rejected: () => undefined },
    log,
    bodyTimeoutMs: 5_000,
    maxReadingBytes: 64 * 1024 * 1024,
    trustedProxies: networksOf([]),
    ...given.deps,
  });
  let listening: Promise<unknown> | undefined;
  const port = async (): Promise<number> => {
    await (listening ??= app.listen({ host: '127.0.0.1', port: 0 }));
    return (app.server.address() as AddressInfo).port;
  };
  running.push({ app, listening: async () => listening });
  return {
    app,
    producer,
    source,
    logged,
    rejections,
    port,
    send: async (request) => sendTo(await port(), { path: `/v1/webhooks/${source.id}`, ...request }),
    async metric(name, labels = {}) {
      const metric = (await registry.getMetricsAsJSON()).find((candidate) => candidate.name === name);
      const value = metric?.values.find((candidate) =>
        Object.entries(labels).every(([label, text]) => (candidate.labels as Record<string, unknown>)[label] === text),
      );
      return value?.value ?? 0;
    },
  };
}

function sendTo(port: number, { method = 'POST', path = '/', headers = {}, body = '' }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const json = (): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

export const requestsTotal = 'hookline_ingress_requests_total';

export function signed(
  body: Buffer | string,
  timestampSeconds = Math.floor(Date.now() / 1000),
): Record<string, string> {
  return { 'hookline-signature': signHookline({ secret, timestampSeconds, body }) };
}
