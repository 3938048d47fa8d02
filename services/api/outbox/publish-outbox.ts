/**
 * Publishes events from the outbox to their topic:
 *
 *   POST /events: event and row committed ─► claimed, for a time ─► on the topic, acknowledged ─► the row is removed
 *
 * A narrow event is sent together with its deliveries, as in dedup (#lib/fan-out).
 *
 * The process that inserts an event claims it with its row, and publishes it from memory once its COMMIT is known (held-events.ts). Every
 * process of the API sweeps what is left, whoever wrote the row: once a second, if there is a row without a claim. The claim of a process that
 * dies expires; then the event is published again under the same id.
 *
 * One process at a time publishes the events of an ordering key, each after the previous one is acknowledged, because an unacknowledged
 * record may end up after later ones. A process that was paused beyond its claim may repeat the one event that it was about to send.
 *
 * If Kafka or the registry is away, rows wait, and nothing is lost. If Postgres is away, nothing can be published or read.
 */
import type { ErasedEvents } from '#lib/erasure';
import type { PublishEvent } from '#lib/fan-out';
import type { RecordProducer } from '#lib/kafka';
import { type Clock, type CrashPoints, createPart, type Logger, type Part, toAppError } from '#lib/runtime';
import { createFollowKeys } from './follow-keys.ts';
import { createHeldEvents, type HeldEvents } from './held-events.ts';
import type { DoneRow, OutboxEvent } from './outbox-event.ts';
import { type ClaimedRow, claimSeconds, type KeyCursor, type OutboxTable } from './outbox-table.ts';
import { createPublishOne, type PublishOne } from './publish-one.ts';
import { createRowBatches } from './row-batches.ts';
import { createWorkOff } from './work-off.ts';

export interface OutboxDeps {
  table: OutboxTable;
  producer: Pick<RecordProducer, 'send'>;
  /** Resolves once the registry knows the schema; publishes as dedup does. @throws AppError registry_unavailable */
  openPublisher(): Promise<PublishEvent>;
  erased: Pick<ErasedEvents, 'has'>;
  crashPoints: CrashPoints;
  /** Called every few seconds. */
  onMeasured(measured: { unpublished: number; oldestSeconds: number }): void;
  clock: Clock;
  log: Logger;
  /** See held-events.ts. */
  maxHeldBytes?: number;
}

export interface Outbox extends Part, Pick<HeldEvents, 'hold'> {
  /** Tells that there is a row without a claim. */
  wake(): void;
}

/** In a round, of each kind: the largest payloads would be 128 MiB. */
const claimedAtOnce = 64;
/** Interval for rows of other processes and failed ones. */
const everyMs = 1_000;
const measureEveryMs = 5_000;
/** Nobody waits for these changes, and a statement for several rows costs as much as for one. */
const changes = { lingerMs: 150, maxRows: 256, keptForMs: claimSeconds * 1_000 };

export function createOutbox(deps: OutboxDeps): Outbox {
  const { table, crashPoints, onMeasured, clock, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let publishOne: PublishOne | undefined;
  let running: Promise<void> = Promise.resolve();
  let isWoken = false;
  let wakeUp = (): void => undefined;
  let cursor: KeyCursor | undefined;
  let measuredAtMs = Number.NEGATIVE_INFINITY;

  const wake = (): void => {
    isWoken = true;
    wakeUp();
  };
  const workOff = createWorkOff({ table, crashPoints, clock });
  const following = createFollowKeys({
    table,
    workOff,
    publishOne: () => publishOne,
    wakeSweep: wake,
    clock,
    log,
  });

  async function remove(done: readonly DoneRow[]): Promise<void> {
    crashPoints.reach('outbox.after-publish');
    await table.remove(done);
    following.look(keysOf(done));
  }

  const removals = createRowBatches<DoneRow>({ ...changes, name: 'removal', write: remove, clock, log });
  const releases = createRowBatches<ClaimedRow>({ ...changes, name: 'release', write: table.release, clock, log });
  const held = createHeldEvents({
    publishOne: () => (signal.aborted ? undefined : publishOne),
    removals,
    releases,
    onUnclaimed(rows) {
      following.look(keysOf(rows));
      if (rows.some(({ ordering_key }) => ordering_key === null)) wake();
    },
    crashPoints,
    clock,
    ...(deps.maxHeldBytes !== undefined && { maxBytes: deps.maxHeldBytes }),
  });

  async function round(publishNow: PublishOne): Promise<boolean> {
    const beganAtMs = clock.monotonicMs();
    const [unordered, ordered] = await Promise.all([
      table.claimUnordered(claimedAtOnce),
      table.claimOrdered(claimedAtOnce, cursor),
    ]);
    const last = ordered.at(-1);
    // From the first key on again, once there was none after the last.
    cursor = last && { tenant: last.tenant, ordering_key: last.ordering_key ?? '' };
    const claimed = [...unordered, ...ordered];
    return (await workOff(claimed, beganAtMs, publishNow)) && claimed.length > 0;
  }

  async function measure(): Promise<void> {
    if (clock.monotonicMs() - measuredAtMs < measureEveryMs) return;
    measuredAtMs = clock.monotonicMs();
    onMeasured(await table.measure());
  }

  async function idle(): Promise<void> {
    if (isWoken || signal.aborted) return;
    const waking = new AbortController();
    wakeUp = () => waking.abort();
    await clock.sleepUntilNext(everyMs, waking.signal);
    wakeUp = () => undefined;
  }

  async function sweep(): Promise<void> {
    // Rows that were committed without a claim before the stop are not left to the next start.
    while (!signal.aborted || isWoken) {
      const mayHaveRows = isWoken;
      isWoken = false;
      let goesOn = false;
      try {
        await measure();
        publishOne ??= createPublishOne({ ...deps, publishEvent: await deps.openPublisher() });
        goesOn = (mayHaveRows || (await table.hasFree())) && (await round(publishOne));
      } catch (error) {
        log.warn({ event: 'outbox.round_failed', err: toAppError(error) });
      }
      if (!goesOn) await idle();
    }
  }

  const part = createPart(
    'outbox',
    async () => {
      running = sweep();
    },
    async () => {
      await Promise.all([running, held.settled()]);
      await Promise.all([removals.close(), releases.close()]);
      await following.close();
    },
  );
  return {
    ...part,
    hold: held.hold,
    wake,
    stop: () => {
      stopping.abort();
      wakeUp();
      return part.stop();
    },
  };
}

const keysOf = (rows: readonly Pick<OutboxEvent, 'tenant' | 'ordering_key'>[]): KeyCursor[] =>
  rows.flatMap(({ tenant, ordering_key }) => (ordering_key === null ? [] : [{ tenant, ordering_key }]));
