/**
 * Keeps the tables from growing for ever: payloads and attempts go by the day, events and what belongs to them when they have not changed
 * for long, sources, endpoints and keys but for their ids a month after their deletion, and nothing goes that open work may need. In
 * rounds, the first at the start; what fails in one is tried again soon.
 *
 * How old is old goes by the earlier of two clocks, this process's and the database's: one of them alone, set years ahead, would remove
 * everything.
 */
import type { Postgres } from '#lib/postgres';
import {
  AppError,
  type Clock,
  createPart,
  formatMicros,
  inRounds,
  type Logger,
  nowMicros,
  parseRfc3339,
  type Part,
  toAppError,
} from '#lib/runtime';
import type { ProjectorMetrics } from '../metrics.ts';
import { createDayPartitions, type DayPartitions } from './day-partitions.ts';
import { partitionedTables } from './partitioned-tables.ts';
import { beginStats, rollUpStats } from './roll-up-stats.ts';
import { sweepAudit, sweepPortalLinks, sweepSessions } from './sweep-audit.ts';
import { buryErased, forgetErased, forgetTenants, sweepErasures } from './sweep-erased.ts';
import { sweepDeadLetters, sweepEvents, sweepOrphans, sweepReplays } from './sweep-events.ts';
import { buryDeleted, forgetChanges } from './sweep-resources.ts';
import type { Paced } from './sweep-rows.ts';

export interface Retention extends Part {
  /** One round: true if nothing of it failed. */
  run(): Promise<boolean>;
}

interface Deps {
  /** A pool of its own: the batches never wait for one of its connections. */
  postgres: Postgres;
  payloadDays: number;
  eventDays: number;
  clock: Clock;
  log: Logger;
  metrics: ProjectorMetrics;
}

interface Horizons {
  now: number;
  /** Horizons: older rows go, if they may. */
  payloads: number;
  events: number;
}

interface Table {
  table: string;
  days: DayPartitions;
}

type Step = readonly [name: string, take: (horizons: Horizons) => Promise<void>];

const resources = ['sources', 'endpoints', 'api_keys'] as const;

const roundEveryMs = 3_600_000;
const afterFailureMs = 60_000;
/** Writers wait for as long where a partition is attached or detached. */
const lockTimeoutMs = 250;
/** It works a tenth of the time. */
const restPerWork = 9;
const dayMicros = 24 * 3600 * 1_000_000;

export function createRetention({ postgres, payloadDays, eventDays, clock, log, metrics }: Deps): Retention {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isWhole = false;
  const tables = partitionedTables.map((table): Table => ({
    table: table.name,
    days: createDayPartitions(postgres, table, { lockTimeoutMs }),
  }));

  const paced: Paced = async (piece) => {
    while (!signal.aborted) {
      const startedAtMs = clock.monotonicMs();
      const { last } = await piece();
      if (last) return;
      await clock.sleep((clock.monotonicMs() - startedAtMs) * restPerWork, signal);
    }
  };

  async function horizons(): Promise<Horizons> {
    const [row] = await postgres.query<{ now: string }>('SELECT least($1::timestamptz, clock_timestamp()) AS now', [
      formatMicros(nowMicros(clock)),
    ]);
    const now = parseRfc3339(row?.now ?? '');
    if (now === undefined) throw new AppError('bug', `the time is ${row?.now}`);
    return { now, payloads: now - payloadDays * dayMicros, events: now - eventDays * dayMicros };
  }

  function removed(table: string, rows: number): void {
    if (rows === 0) return;
    metrics.retentionRows.inc({ table }, rows);
    log.info({ event: 'retention.rows_removed', table, rows });
  }

  async function makeDays({ table, days }: Table, { now, payloads }: Horizons): Promise<void> {
    const left = await days.makeDays(now, payloads);
    if (left.length > 0) log.warn({ event: 'retention.days_left_to_default', table, partitions: left });
  }

  async function dropDays({ table, days }: Table, { payloads }: Horizons): Promise<void> {
    const { partitions, rows, kept } = await days.dropBefore(payloads, paced);
    metrics.retentionPartitions.inc({ table }, partitions);
    metrics.retentionKept.set({ table }, kept);
    if (partitions > 0) log.info({ event: 'retention.partitions_dropped', table, partitions });
    removed(table, rows);
    if (kept > 0) log.warn({ event: 'retention.rows_kept', table, rows: kept, why: 'open work needs them' });
  }

  async function measureDays({ table, days }: Table, { now }: Horizons): Promise<void> {
    const span = await days.span();
    if (span === undefined) return;
    metrics.retentionOldest.set({ table }, (now - span.oldest) / 1_000_000);
    metrics.retentionAhead.set({ table }, Math.floor((span.newest - now) / dayMicros) + 1);
  }

  const making = tables.map((table): Step => [`make days of ${table.table}`, (at) => makeDays(table, at)]);
  const counting: Step = ['begin stats', () => beginStats(postgres)];
  const steps: readonly Step[] = [
    ...making,
    counting,
    ...tables.map((table): Step => [`drop days of ${table.table}`, (at) => dropDays(table, at)]),
    ...tables.map((table): Step => [`measure days of ${table.table}`, (at) => measureDays(table, at)]),
    ['sweep events', async ({ events }) => removed('events', await sweepEvents(postgres, events, paced))],
    ['sweep orphans', async ({ events }) => removed('orphans', await sweepOrphans(postgres, events, paced))],
    ['sweep replays', async ({ events }) => removed('replays', await sweepReplays(postgres, events, paced))],
    ['bury erased', async ({ now }) => void (await buryErased(postgres, now, paced))],
    ['forget erased', async ({ now }) => removed('erased', await forgetErased(postgres, now, paced))],
    ['sweep erasures', async ({ events }) => removed('erasures', await sweepErasures(postgres, events))],
    ['forget tenants', async ({ now }) => removed('tenants', await forgetTenants(postgres, now))],
    ['sweep letters', async ({ events }) => removed('dead_letters', await sweepDeadLetters(postgres, events, paced))],
    ...resources.map((table): Step => [
      `bury ${table}`,
      async ({ now }) => removed(table, await buryDeleted(postgres, table, now, paced)),
    ]),
    ['sweep audit', async ({ now }) => removed('audit', await sweepAudit(postgres, now, paced))],
    ['sweep sessions', async ({ now }) => removed('sessions', await sweepSessions(postgres, now, paced))],
    ['sweep portal links', async ({ now }) => removed('portal_links', await sweepPortalLinks(postgres, now, paced))],
    ['roll up stats', async ({ now }) => removed('stats', await rollUpStats(postgres, now, paced))],
    ['forget changes', async ({ now }) => removed('endpoint_changes', await forgetChanges(postgres, now, paced))],
  ];

  /** Whether all of them did: one that fails holds up no other. */
  async function attempt(work: readonly Step[]): Promise<boolean> {
    let done = true;
    for (const [step, take] of work) {
      if (signal.aborted) break;
      try {
        await take(await horizons());
      } catch (error) {
        done = false;
        metrics.retentionFailures.inc({ step });
        log.warn({ event: 'retention.failed', step, err: toAppError(error) });
      }
    }
    if (done && work === steps) metrics.retentionSucceeded.set(clock.nowMs() / 1000);
    return done;
  }

  const rounds = inRounds(
    async () => {
      isWhole = await attempt(steps);
    },
    { name: 'retention', everyMs: () => (isWhole ? roundEveryMs : afterFailureMs), clock, log },
  );

  const part = createPart(
    'retention',
    async () => {
      // Before anything is written: of a day that has no partition yet, the rows would have to be moved.
      await attempt([...making, counting]);
      if (!signal.aborted) await rounds.start();
    },
    async () => {
      stopping.abort();
      await rounds.stop();
    },
  );
  return { ...part, stop: () => (stopping.abort(), part.stop()), run: () => attempt(steps) };
}
