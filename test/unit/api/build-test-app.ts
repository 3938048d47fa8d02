import { randomBytes } from 'node:crypto';
import { AjvCompiler } from '@fastify/ajv-compiler';
import type { RouteOptions } from 'fastify';
import { Registry } from 'prom-client';
import { parseAllowedNetworks, vetUrl } from '#lib/http-client';
import { createPostgresStore } from '#lib/idempotency';
import { createMatchTurns } from '#lib/event-filter';
import { networksOf } from '#lib/net';
import type { Query } from '#lib/postgres';
import { createManualClock, type Logger, silentLogger } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { noTracer } from '#lib/telemetry';
import { createTenantLimits, createTenantUsage, noLimitSettings } from '#lib/tenancy';
import { type AppDeps, buildApp } from '../../../services/api/app.ts';
import { createOperatorKeys } from '../../../services/api/keys/operator-keys.ts';
import { createWaitingRequests } from '../../../services/api/limits/waiting-requests.ts';
import { createApiMetrics } from '../../../services/api/metrics.ts';
import type { Store } from '../../../services/api/resources/resource-table.ts';
import { routes } from '../../../services/api/routes.ts';
import { ask, type Asking } from './ask.ts';
import { createAsOfTokens } from '../../../services/api/replays/by-filter/as-of.ts';
import { createReplayWatch } from '../../../services/api/replays/replay-watch.ts';
import { patientDocuments } from '../../support/patient-checks.ts';
import { testPolling } from './test-polling.ts';

export const adminKey = 'an-admin-key-for-tests';
export const authorization = `Bearer ${adminKey}`;

/** A database that answers every statement by this, within a transaction or not; audit entries are taken silently. */
export function postgresOf(answer: (text: string, values?: readonly unknown[]) => Promise<object[]>): Store {
  const query = (async (text: string, values?: readonly unknown[]) =>
    text.includes('INSERT INTO audit') ? [] : answer(text, values)) as Query['query'];
  return { query, transaction: (work) => work({ query }) };
}

export const noPostgres = postgresOf(async () => {
  throw new Error('this request has nothing to ask the database');
});

export const testEncryptionKeys = parseEncryptionKeys([`test:${Buffer.alloc(32, 7).toString('base64')}`]);
export const testSecretBox = createSecretBox(testEncryptionKeys);

export const testOperatorKeys = createOperatorKeys({ adminKey, adminKeys: [] }, testEncryptionKeys);

/** Compiling its schemas is half of what an app costs. */
const schemaController = { compilersFactory: { buildValidator: AjvCompiler() } };

/** Its thread is started by the first test that has a document. */
const testDocuments = patientDocuments();

/** Leaves every published event to a sweep. @param onCommitted called once a transaction */
export const sweptOutbox = (onCommitted: () => void = () => undefined): AppDeps['outbox'] => ({
  hold: () => ({ isClaiming: false, committed: onCommitted, unknown: () => undefined, none: () => undefined }),
  wake: onCommitted,
});

/** The API's dependencies in tests, except the given ones. */
const testDeps = ({
  postgres = noPostgres,
  clock = createManualClock(),
  closing = new AbortController().signal,
  limits = createTenantLimits(noLimitSettings),
  usage = createTenantUsage(new Registry(), limits),
  ...given
}: Partial<AppDeps> & Pick<AppDeps, 'metrics'>): AppDeps => ({
  postgres,
  polling: testPolling({ postgres, clock, closing, metrics: given.metrics }),
  erased: { hasTenant: () => false, refresh: async () => undefined, recent: () => undefined },
  recentLimits: () => undefined,
  search: {
    search: async () => {
      throw new Error('nothing is searched here');
    },
    running: () => 0,
  },
  schemaChecks: { check: async () => ({ kind: 'match' }) },
  documents: testDocuments,
  asOf: createAsOfTokens(testEncryptionKeys),
  chooseItems: () => undefined,
  replayWatch: createReplayWatch({ postgres, clock }),
  outbox: sweptOutbox(),
  secretBox: testSecretBox,
  encryptionKeys: testEncryptionKeys,
  trustedProxies: networksOf([]),
  clock,
  random: randomBytes,
  closing,
  vetUrl: (url) => vetUrl(url, { allowHttp: false, allowedNetworks: parseAllowedNetworks([]) }),
  vetPortalUrl: (url) => vetUrl(url, { allowHttp: false, allowedNetworks: parseAllowedNetworks([]) }),
  portal: { url: 'https://portal.test', returnOrigins: ['https://app.test'] },
  vetProxy: (url) => vetUrl(url, { allowHttp: true, allowedNetworks: parseAllowedNetworks([]) }),
  payloadRetentionDays: 30,
  minRetrySeconds: 0,
  failingSeconds: 5 * 24 * 3_600,
  limits,
  limitSettings: createTenantLimits(noLimitSettings),
  usage,
  waiting: createWaitingRequests({ limits, usage }),
  connections: { held: () => 0 },
  matchTurns: createMatchTurns(),
  unjudgedFilters: { note: () => undefined },
  findKey: async () => 'unknown',
  whyEnded: Object.assign(() => undefined, { read: async () => undefined }),
  keyUses: { note: () => undefined },
  limiter: { take: async () => ({ granted: true }) },
  ratesLeft: { left: async () => undefined },
  keyRate: { perSecond: 100, burst: 200 },
  apiUrl: 'https://api.test',
  ingressUrl: 'https://in.test',
  operatorKeys: testOperatorKeys,
  findSession: async () => 'unknown',
  schemaController,
  tracer: noTracer,
  log: silentLogger,
  idempotency: {
    lockSeconds: 90,
    store: createPostgresStore({
      postgres,
      secretBox: testSecretBox,
      random: randomBytes,
      lockSeconds: 90,
      ttlSeconds: 3_600,
    }),
  },
  ...given,
});

/** The whole API. */
export function buildTestApp(given: Partial<AppDeps> = {}) {
  const metrics = new Registry();
  const app = buildApp(testDeps({ metrics: createApiMetrics(metrics), ...given }));
  return { app, metrics, ask: (asking: Asking) => ask(app, asking) };
}

/** Every route that needs a key, as the app has it. */
export const testRoutes = (): RouteOptions[] =>
  routes.map((route) => route(testDeps({ metrics: createApiMetrics(new Registry()) })));

/** Keeps what is logged, to be looked through. */
export function createKeptLog(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const keep = (line: Record<string, unknown>): void => void lines.push(line);
  const log: Logger = { debug: keep, info: keep, warn: keep, error: keep, isOn: () => true };
  return { log, lines };
}
