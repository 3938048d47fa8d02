/**
 * Publishes announcements as operational events, which take the same way as every webhook: through dedup, to pollers, and to the endpoints
 * that subscribe to them.
 *
 *   it happens, and a row in `announcements` (one transaction)  ──►  claimed  ──►  a record on `webhooks.received`  ──►  the row is removed
 *
 * If a process dies in between, its claim expires, and another process publishes it again, under the same identifier: dedup accepts it once.
 *
 * | kind            | written by                                             | an episode is                              |
 * |-----------------|--------------------------------------------------------|--------------------------------------------|
 * | failing         | dispatcher, endpoint-failing.ts                        | an outage: from its first failed attempt   |
 * | recovered       | the same                                               | that outage; only after `failing`          |
 * | disabling_soon  | the same                                               | the count of failures that will disable it |
 * | disabled        | dispatcher, disable-endpoint.ts                        | the disabling                              |
 * | dead_lettered   | projector, statements/dead-letters.ts                  | a quarter of an hour                       |
 * | rejecting       | ingress, rejections/rejecting-sources.ts               | until the source accepts something         |
 * | limit_reached   | api, limits/announce-limits.ts                         | a day (UTC)                                |
 */
import { operationalSourceId, receivedWebhookHeaders, type Topics } from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import { type Clock, type CrashPoints, createId, type Logger, microsOf, nowMicros } from '#lib/runtime';
import { newTraceparent } from '#lib/telemetry';
import type { Publish } from '../publishing/publish.ts';
import { type Announcement, announcedPayload } from './announced-payload.ts';
import type { AnnouncementTable } from './announcement-table.ts';

interface Deps {
  table: AnnouncementTable;
  publish: Publish;
  topics: Pick<Topics, 'webhooks.received'>;
  clock: Clock;
  crashPoints: CrashPoints;
  log: Logger;
}

/** The longest that a source may set: far longer than a claim, or than an announcement waits. */
const dedupTtlSeconds = 30 * 24 * 3600;
const sweepEveryMs = 3_600_000;

/** A round, for `inRounds`. @throws AppError store_unavailable; stopped */
export function createPublishAnnouncements({ table, publish, topics, clock, crashPoints, log }: Deps) {
  let sweptAtMs = Number.NEGATIVE_INFINITY;

  function recordOf(announcement: Announcement): OutgoingRecord {
    const { tenant, type, due_at } = announcement;
    const headers = receivedWebhookHeaders({
      tenant,
      sourceId: operationalSourceId,
      receiptId: createId('rcp', clock.nowMs()),
      receivedAt: Math.max(nowMicros(clock), microsOf(due_at)),
      contentType: 'application/json',
      contentEncoding: null,
      httpHeaders: {},
      identifyBy: [{ value: identifierOf(announcement) }],
      typeBy: [{ value: type }],
      dedupTtlSeconds,
      orderingKey: null,
      traceparent: newTraceparent(undefined),
      origin: null,
    });
    const value = Buffer.from(JSON.stringify(announcedPayload(announcement)));
    return { topic: topics['webhooks.received'], key: null, value, headers };
  }

  async function sweep(): Promise<void> {
    if (clock.monotonicMs() - sweptAtMs < sweepEveryMs) return;
    sweptAtMs = clock.monotonicMs();
    const swept = await table.sweep();
    if (swept > 0) log.warn({ event: 'announcements.dropped', count: swept });
  }

  /** Publishes all, and removes the published ones even if the stop has interrupted the rest. */
  async function publishAll(claimed: readonly Announcement[], signal: AbortSignal): Promise<void> {
    const ends = await Promise.allSettled(claimed.map((announcement) => publish(recordOf(announcement), signal)));
    crashPoints.reach('announcing.after-publish');
    const published = claimed.filter((_, index) => ends[index]?.status === 'fulfilled');
    await table.remove(published);
    for (const { tenant, type, subject } of published)
      log.info({ event: 'announcement.published', tenant, type, subject });
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  return async (signal: AbortSignal): Promise<void> => {
    const claimed = await table.claim();
    if (claimed.length > 0) {
      crashPoints.reach('announcing.after-claim');
      await publishAll(claimed, signal);
    }
    await sweep();
  };
}

/**
 * `hookline.endpoint.disabled` keeps the identifier that it had before there was this table: at an upgrade, both versions may publish it.
 */
function identifierOf({ type, subject, episode }: Announcement): string {
  return type === 'hookline.endpoint.disabled'
    ? `endpoint.disabled/${subject}/${episode}`
    : `${type}/${subject}/${episode}`;
}
