import { longestLifeSeconds, longestWindowSeconds } from '#lib/contract';
import type { Postgres } from '#lib/postgres';
import { inRounds, nowMicros } from '#lib/runtime';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import type { ServiceContext } from '#lib/service-host';
import type { DispatcherConfig } from '../config.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { EndpointRef } from '../model/job.ts';
import { createDisableEndpoint } from './disable-endpoint.ts';
import { createEndpointDirectory } from './endpoint-directory.ts';
import { factsOf } from './endpoint-facts.ts';
import { createEndpointFailing } from './endpoint-failing.ts';
import { createEndpointHealth } from './endpoint-health.ts';
import { createFailingTable } from './failing-table.ts';
import { createIsAskedFor } from './is-asked-for.ts';
import { createBreakerReports } from './report-breakers.ts';

interface Deps {
  config: Pick<DispatcherConfig, 'encryptionKeys' | 'payloadRetentionDays' | 'failingSeconds'>;
  context: Pick<ServiceContext, 'clock' | 'log'>;
  postgres: Postgres;
  directoryPool: Postgres;
  metrics: DispatcherMetrics;
  /** The breaker of an endpoint has closed again. */
  onClosed(endpoint: EndpointRef): void;
}

/** The directory of endpoints, their health, and the disabling of failing ones. */
export function buildEndpoints(deps: Deps) {
  const { config, postgres, metrics, onClosed } = deps;
  const { clock, log } = deps.context;
  const directory = createEndpointDirectory({
    postgres: deps.directoryPool,
    secretBox: createSecretBox(parseEncryptionKeys(config.encryptionKeys)),
    longestWindowMs: longestWindowSeconds(config.payloadRetentionDays) * 1_000,
    longestLifeMs: longestLifeSeconds(config.payloadRetentionDays) * 1_000,
    clock,
    log,
  });
  const breakerReports = createBreakerReports({ postgres, clock });
  const health = createEndpointHealth({
    factsOf: ({ tenant, endpointId }) => factsOf(directory.get(tenant, endpointId), nowMicros(clock)),
    onClosed,
    onStanding: breakerReports.observe,
    metrics,
    clock,
    random: Math.random,
    log,
  });
  const disableEndpoint = createDisableEndpoint({ postgres, metrics, log });
  const failingMs = config.failingSeconds * 1_000;
  const endpointFailing = createEndpointFailing({
    table: createFailingTable(postgres),
    isAskedFor: createIsAskedFor(directory),
    disableEndpoint,
    pausesOf: ({ tenant, id }) => directory.get(tenant, id)?.pauses ?? [],
    readPauses: directory.recent,
    failingMs,
    clock,
    log,
  });
  return {
    directory,
    health,
    disableEndpoint,
    endpointFailing,
    breakerReports: inRounds(breakerReports.settle, {
      name: 'breaker reports',
      everyMs: 1_000,
      lastRound: true,
      clock,
      log,
    }),
    failing: inRounds(endpointFailing.settle, {
      name: 'failing endpoints',
      everyMs: 1_000,
      lastRound: true,
      clock,
      log,
    }),
  };
}

export type Endpoints = ReturnType<typeof buildEndpoints>;
