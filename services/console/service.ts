import { randomUUID } from 'node:crypto';
import { createHttpServer, networksOf } from '#lib/net';
import type { Part } from '#lib/runtime';
import type { ServiceContext } from '#lib/service-host';
import { openTransport } from './api-calls/open-transport.ts';
import { buildApp } from './app.ts';
import type { ConsoleConfig } from './config.ts';
import { loadAssets } from './http/assets.ts';
import { createConsoleMetrics } from './metrics.ts';
import type { Face } from './page.ts';

/** The console's parts, leaves first. It is ready without the API: its pages say 503 then. */
export function build(config: ConsoleConfig, context: ServiceContext): Part[] {
  const { log, clock, tracer } = context;
  const metrics = createConsoleMetrics(context.metrics);
  const { transport, part } = openTransport({ apiUrl: config.apiUrl, clock, metrics });
  const publicUrl = config.consoleUrl === '' ? undefined : new URL(config.consoleUrl);
  const app = buildApp({
    transport,
    assets: loadAssets(),
    settings: {
      base: withoutSlash(publicUrl?.pathname ?? ''),
      apiDocsUrl: config.apiDocsUrl,
      grafanaUrl: withoutSlash(config.grafanaUrl),
      runbookUrl: withoutSlash(config.runbookUrl),
      faces: config.faces as readonly Face[],
      frameOrigins: config.portalFrameOrigins,
    },
    origin: publicUrl?.origin,
    catalog:
      config.catalogTenant === ''
        ? undefined
        : {
            tenant: config.catalogTenant,
            key: config.catalogKey,
            staleSeconds: config.catalogStaleSeconds,
            thinWords: config.catalogThinWords,
          },
    trustedProxies: networksOf(config.trustedProxies),
    newKey: randomUUID,
    clock,
    metrics,
    tracer,
    log,
  });
  return [part, createHttpServer({ app, host: config.host, port: config.port })];
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
