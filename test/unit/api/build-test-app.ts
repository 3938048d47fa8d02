import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { createManualClock } from '#lib/clock';
import { parseAllowedNetworks, vetUrl } from '#lib/http-client';
import { type Logger, silentLogger } from '#lib/log';
import type { Query } from '#lib/postgres';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import { type AppDeps, buildApp } from '../../../services/api/app.ts';
import { createApiMetrics } from '../../../services/api/metrics.ts';
import type { Store } from '../../../services/api/resources/resource-table.ts';
import { ask, type Asking } from './ask.ts';

export const adminKey = 'an-admin-key-for-tests';
export const authorization = `Bearer ${adminKey}`;

/** A database that answers every statement by this, within a transaction or not. */
export const postgresOf = (query: (text: string, values?: readonly unknown[]) => Promise<object[]>): Store => ({
  query: query as Query['query'],
  transaction: (work) => work({ query: query as Query['query'] }),
});

export const noPostgres = postgresOf(async () => {
  throw new Error('this request has nothing to ask the database');
});

export const testSecretBox = createSecretBox(parseEncryptionKeys([`test:${Buffer.alloc(32, 7).toString('base64')}`]));

/** The whole API but for what is given. */
export function buildTestApp(given: Partial<AppDeps> = {}) {
  const metrics = new Registry();
  const app = buildApp({
    postgres: noPostgres,
    secretBox: testSecretBox,
    clock: createManualClock(),
    random: randomBytes,
    closing: new AbortController().signal,
    vetUrl: (url) => vetUrl(url, { allowHttp: false, allowedNetworks: parseAllowedNetworks([]) }),
    vetProxy: (url) => vetUrl(url, { allowHttp: true, allowedNetworks: parseAllowedNetworks([]) }),
    payloadRetentionDays: 30,
    apiUrl: 'https://api.test',
    ingressUrl: 'https://in.test',
    adminKey,
    metrics: createApiMetrics(metrics),
    log: silentLogger,
    ...given,
  });
  return { app, metrics, ask: (asking: Asking) => ask(app, asking) };
}

/** Keeps what is logged, to be looked through. */
export function createKeptLog(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const keep = (line: Record<string, unknown>): void => void lines.push(line);
  const log: Logger = { debug: keep, info: keep, warn: keep, error: keep, child: () => log };
  return { log, lines };
}
