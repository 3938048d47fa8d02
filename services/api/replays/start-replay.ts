import type { FastifyReply } from 'fastify';
import type { Query } from '#lib/postgres';
import { type DeadLetterReplay, type ReplayRow, unfinishedByTenant, unfinishedReplays } from '#lib/replay-store';
import { createId, formatMicros } from '#lib/runtime';
import type { LimitName } from '#lib/tenancy';
import type { RouteDeps } from '../route.ts';
import { replayOf } from './queries.ts';

type NewReplay = Omit<DeadLetterReplay, 'filter' | 'limit'>;

/** A new replay, without its items. */
export function newReplay(
  { clock, random }: Pick<RouteDeps, 'clock' | 'random'>,
  { tenant, request, ratePerSecond = null }: Pick<NewReplay, 'tenant' | 'request'> & Partial<NewReplay>,
): NewReplay {
  const nowMs = clock.nowMs();
  const createdAt = formatMicros(nowMs * 1_000);
  return { tenant, id: createId('rpl', nowMs, random), request, ratePerSecond, createdAt };
}

interface Starting extends Pick<NewReplay, 'request'>, Partial<Pick<NewReplay, 'ratePerSecond'>> {
  /** The resource that is named in the audit; default: the replay itself. */
  of?: string;
  create(tx: Query, begun: NewReplay): Promise<ReplayRow>;
  afterCommit?: () => void;
}

/** Creates a replay with its audit entry, and answers that it has begun. */
export async function startReplay(
  deps: Pick<RouteDeps, 'clock' | 'random'>,
  reply: FastifyReply,
  { of, create, afterCommit, ...given }: Starting,
): Promise<FastifyReply> {
  const { request } = reply;
  const begun = newReplay(deps, { tenant: request.tenant, ...given });
  const replay = await request.idempotent.effects.transaction(async (tx) => {
    const started = await create(tx, begun);
    await request.audit(tx, { id: of ?? started.id, after: startedReplay(started) });
    return started;
  });
  if (afterCommit !== undefined) request.idempotent.afterCommit(afterCommit);
  return sendReplay(reply, replay);
}

/** The audit entry of the change that started it. */
const startedReplay = ({ id, request, rate_per_second, matched }: ReplayRow): Record<string, unknown> => ({
  replay_id: id,
  matched,
  rate_per_second,
  request,
});

/** Answers that a replay has begun, with its status and its URL. */
const sendReplay = (reply: FastifyReply, replay: ReplayRow): FastifyReply =>
  reply.code(202).header('location', `/v1/replays/${replay.id}`).send(replayOf(replay));

/**
 * The limit that forbids a tenant another replay. It is checked before the insert, so several concurrent requests may exceed it by a few,
 * which only costs the tenant's own turns.
 *
 * @param kind the requested kind: a replay of `several` items that matches one counts as a single one
 */
export async function replayLimitReached(
  { limits }: Pick<RouteDeps, 'limits'>,
  query: Query,
  tenant: string,
  kind: 'one' | 'several',
): Promise<LimitName | undefined> {
  const { single, bulk } = await unfinishedReplays(query, tenant);
  if (single >= limits.of(tenant, 'single_replays')) return 'single_replays';
  return kind === 'several' && bulk >= limits.of(tenant, 'replays') ? 'replays' : undefined;
}

/** Shows the tenants near these limits, as of the last call of the returned function. */
export function showReplayUsage(postgres: Query, usage: Pick<RouteDeps['usage'], 'show'>): () => Promise<void> {
  let rows: Awaited<ReturnType<typeof unfinishedByTenant>> = [];
  usage.show('single_replays', () => rows.map(({ tenant, single }) => [tenant, single]));
  usage.show('replays', () => rows.map(({ tenant, bulk }) => [tenant, bulk]));
  return async () => {
    rows = await unfinishedByTenant(postgres);
  };
}
