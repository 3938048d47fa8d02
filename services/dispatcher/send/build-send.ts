import type { AttemptRecord, Topics } from '#lib/contract';
import type { BuryRecord } from '#lib/dead-letters';
import type { DroppedRecords, ErasedEvents } from '#lib/erasure';
import { createHttpClient, parseAllowedNetworks } from '#lib/http-client';
import { createSecretBox, parseEncryptionKeys } from '#lib/secret-box';
import type { ServiceContext } from '#lib/service-host';
import { createTrails } from '#lib/signatures';
import type { DispatcherConfig } from '../config.ts';
import type { Endpoints } from '../endpoints/build-endpoints.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { RowJob } from '../model/job.ts';
import type { Lag } from '../model/lag.ts';
import type { Membership } from '../model/membership.ts';
import type { RecentSteps } from '../model/recent-steps.ts';
import type { OrderedRow } from '../model/waiting-row.ts';
import type { BuryDelivery } from '../publishing/bury-delivery.ts';
import type { Publish } from '../publishing/publish.ts';
import { createAttempt } from './attempt.ts';
import { createDispatch } from './dispatch.ts';
import { createOpenPassedHeader } from './open-passed-header.ts';
import { createOutcomeWriter } from './outcome-writer.ts';

interface Deps {
  config: Pick<DispatcherConfig, 'allowHttp' | 'allowedNetworks' | 'maxInFlight' | 'encryptionKeys'>;
  context: Pick<ServiceContext, 'clock' | 'log' | 'tracer' | 'crashPoints'>;
  endpoints: Pick<Endpoints, 'directory' | 'disableEndpoint' | 'endpointFailing'>;
  erased: ErasedEvents;
  membership: Membership;
  dropped: Pick<DroppedRecords, 'count'>;
  publish: Publish;
  buryDelivery: BuryDelivery;
  buryRecord: BuryRecord;
  encodeAttempt(record: AttemptRecord): Buffer;
  recentSteps: RecentSteps;
  orderedRows: { write(row: OrderedRow, isWanted: () => boolean): Promise<void> };
  removeRow(job: RowJob): void;
  topics: Topics;
  metrics: DispatcherMetrics;
  lag: Pick<Lag, 'delivered'>;
}

/** One send and what follows from it, made durable. */
export function buildSend({ config, context, endpoints, metrics, ...deps }: Deps) {
  const { clock, log, tracer, crashPoints } = context;
  const http = createHttpClient({
    clock,
    allowHttp: config.allowHttp,
    allowedNetworks: parseAllowedNetworks(config.allowedNetworks),
    // A lower bound would let one endpoint’s hanging requests hold up its neighbours on the same host.
    maxConnectionsPerHost: config.maxInFlight,
  });
  const givenUp = new AbortController();
  const outcomes = createOutcomeWriter({ ...deps, clock, crashPoints, signal: givenUp.signal });
  const keys = parseEncryptionKeys(config.encryptionKeys);
  const secretBox = createSecretBox(keys);
  const openHeader = createOpenPassedHeader({ secretBox, log });
  const dispatch = createDispatch({
    ...endpoints,
    attempt: createAttempt({ http, tracer, clock, openHeader, trails: createTrails(keys) }),
    outcomes,
    erased: deps.erased,
    holdsMembership: deps.membership.holds,
    onDropped: deps.dropped.count,
    metrics,
    lag: deps.lag,
    crashPoints,
    clock,
    random: Math.random,
    log,
  });
  return {
    http,
    outcomes,
    dispatch,
    /** From then on no outcome waits for Kafka. */
    giveUp: () => givenUp.abort(),
  };
}
