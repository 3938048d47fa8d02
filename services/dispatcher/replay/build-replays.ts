import { randomUUID } from 'node:crypto';
import type { Topics } from '#lib/contract';
import type { ErasedEvents } from '#lib/erasure';
import { readBatchAgain } from '#lib/kafka';
import type { Postgres } from '#lib/postgres';
import { createReplayWork, followReplays, type ReplayLane } from '#lib/replay-store';
import { inRounds, type Part, toAppError, type WaitOut } from '#lib/runtime';
import type { ServiceContext } from '#lib/service-host';
import type { DispatcherConfig } from '../config.ts';
import type { Endpoints } from '../endpoints/build-endpoints.ts';
import type { SetWriters } from '../fan-out/build-fan-out.ts';
import type { KafkaClient } from '../kafka-client.ts';
import type { DispatcherMetrics } from '../metrics.ts';
import type { Offer } from '../publishing/publish.ts';
import type { WaitingTable } from '../waiting/waiting-table.ts';
import { createPlaces } from './places.ts';
import { createReplayRunner } from './replay-runner.ts';
import { createRunReplay } from './run-replay.ts';
import { createSendItems } from './send-items.ts';

interface Deps {
  config: Pick<DispatcherConfig, 'decompressedBytes'>;
  kafka: KafkaClient;
  context: Pick<ServiceContext, 'clock' | 'log' | 'crashPoints'>;
  pools: Readonly<Record<ReplayLane, Postgres>>;
  endpoints: Pick<Endpoints, 'directory'>;
  table: Pick<WaitingTable, 'contents'>;
  writers: SetWriters;
  offer: Offer;
  erased: ErasedEvents;
  waitOut: WaitOut;
  topics: Topics;
  metrics: Pick<DispatcherMetrics, 'replayed'>;
}

/** Turns of replays that are under way at once, in each lane. */
const turnsAtOnce = 4;

const followEveryMs = 1_000;
const followedAtOnce = 20;

/** One runner for replays of a single item, one for the others, and what follows the deliveries of both. */
export function buildReplays({
  config,
  kafka,
  context,
  pools,
  endpoints,
  writers,
  metrics,
  ...deps
}: Deps): Record<ReplayLane | 'following', Part> {
  const { clock, log, crashPoints } = context;
  const { waitOut } = deps;
  const { decompressedBytes } = config;
  const again = { ...kafka, maxDecompressedBytes: decompressedBytes };
  const send = createSendItems({
    ...deps,
    ...writers,
    directory: endpoints.directory,
    decompressedBytes,
    readBatchAgain: (batch) => readBatchAgain(batch, again),
    clock,
  });

  function runnerOf(lane: ReplayLane): Part {
    const work = createReplayWork(pools[lane]);
    const run = createRunReplay({
      work,
      send,
      places: createPlaces(turnsAtOnce),
      waitOut,
      crashPoints,
      clock,
      onSettled: (ends) => {
        for (const { reason } of ends) metrics.replayed(reason ?? 'replayed');
      },
    });
    return createReplayRunner({ lane, work, run, owner: randomUUID(), clock, log });
  }

  const following = inRounds(
    // Several replays of several tenants; the rest comes in the next round.
    async () => {
      await followReplays(pools.bulk, followedAtOnce).catch((error: unknown) =>
        log.warn({ event: 'replays.not_followed', err: toAppError(error) }),
      );
    },
    { name: 'following replays', everyMs: followEveryMs, clock, log },
  );

  return { single: runnerOf('single'), bulk: runnerOf('bulk'), following };
}
