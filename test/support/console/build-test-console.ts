import type { InjectOptions, LightMyRequestResponse as Response } from 'fastify';
import { Registry } from 'prom-client';
import { networksOf } from '#lib/net';
import { createManualClock, silentLogger } from '#lib/runtime';
import { noTracer } from '#lib/telemetry';
import { type AppDeps, buildApp } from '../../../services/console/app.ts';
import { loadAssets } from '../../../services/console/http/assets.ts';
import { createConsoleMetrics } from '../../../services/console/metrics.ts';
import { createFakeApi } from './fake-api.ts';
import { plainSettings } from './plain-settings.ts';

const testHost = '127.0.0.1:8082';
export const testAssets = loadAssets();

/** The whole console before a fake API; nothing listens. */
export function buildTestConsole(given: Partial<AppDeps> = {}) {
  const api = createFakeApi();
  const clock = createManualClock();
  const registry = new Registry();
  let keys = 0;
  const app = buildApp({
    transport: api.transport,
    assets: testAssets,
    settings: { ...plainSettings, faces: ['console', 'catalog'] },
    catalog: undefined,
    origin: undefined,
    trustedProxies: networksOf([]),
    newKey: () => `test-key-${(keys += 1)}`,
    clock,
    metrics: createConsoleMetrics(registry),
    tracer: noTracer,
    log: silentLogger,
    ...given,
  });

  const send = (options: InjectOptions): Promise<Response> =>
    app.inject({ ...options, headers: { host: testHost, ...options.headers } });

  return {
    app,
    api,
    clock,
    registry,
    send,
    /** @param token of the session */
    get: (url: string, token?: string, headers: Record<string, string> = {}) =>
      send({ method: 'GET', url, headers: { ...cookieOf(token), ...headers } }),
    /** A form as a page of the console sends it. */
    post: (
      url: string,
      fields: Readonly<Record<string, string>>,
      token?: string,
      headers: Record<string, string> = {},
    ) =>
      send({
        method: 'POST',
        url,
        payload: new URLSearchParams({ idempotency_key: 'key-of-the-form', ...fields }).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          ...cookieOf(token),
          ...headers,
        },
      }),
  };
}

const cookieOf = (token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { cookie: `hookline=${token}` };
