import { randomBytes } from 'node:crypto';
import { parseAllowedNetworks, vetUrl } from '#lib/http-client';
import { createHttpServer } from '#lib/http-server';
import { createPart, type Part } from '#lib/lifecycle';
import { createPostgres } from '#lib/postgres';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import type { ServiceContext } from '#lib/service-host';
import { buildApp } from './app.ts';
import type { ApiConfig } from './config.ts';
import { createApiMetrics } from './metrics.ts';

const maxConnections = 10;
/** A client waits for this at the longest before it is told to come again. */
const statementTimeoutMs = 5_000;

/** The API's parts, leaves first. */
export function build(config: ApiConfig, context: ServiceContext): Part[] {
  const { log, clock } = context;
  const postgres = createPostgres({
    url: config.databaseUrl,
    applicationName: 'hookline-api',
    maxConnections,
    statementTimeoutMs,
    log,
  });
  const closing = new AbortController();
  const allowedNetworks = parseAllowedNetworks(config.allowedNetworks);
  const app = buildApp({
    postgres,
    secretBox: createSecretBox(parseEncryptionKeys(config.encryptionKeys)),
    clock,
    random: randomBytes,
    closing: closing.signal,
    vetUrl: (url) => vetUrl(url, { allowHttp: config.allowHttp, allowedNetworks }),
    // What goes through it may be https all the same.
    vetProxy: (url) => vetUrl(url, { allowHttp: true, allowedNetworks }),
    payloadRetentionDays: config.payloadRetentionDays,
    apiUrl: withoutSlash(config.apiUrl),
    ingressUrl: withoutSlash(config.ingressUrl),
    adminKey: config.adminKey,
    metrics: createApiMetrics(context.metrics),
    log,
  });
  return [
    postgres,
    createHttpServer({ app, host: config.host, port: config.port }),
    // Stopped before the server, which waits for those who are held.
    createPart(
      'held requests',
      async () => undefined,
      async () => closing.abort(),
    ),
  ];
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
