/**
 * Replays of events, retries and cancels of deliveries by filter. The dry run counts, and answers with an `as_of`; the start requires it, and
 * takes nothing later. What is taken is chosen while it is worked off (choosing.ts), so that it costs the same for a hundred and for ten million.
 */
import type { FastifyReply } from 'fastify';
import {
  type BodyOf,
  type BulkPreview,
  type cancelDeliveries,
  maxBulkItems,
  type replayEvents,
  type retryDeliveries,
} from '#lib/api-contract';
import type { ReplayOperation } from '#lib/contract';
import { createFilteredReplay, type Selection } from '#lib/replay-store';
import { formatMicros, nowMicros } from '#lib/runtime';
import { endpointTable } from '../../endpoints/index.ts';
import { readFilters } from '../../http/filters.ts';
import { type FieldErrors, sendInvalid, sendProblem } from '../../http/send-problem.ts';
import { refuseBeyondLimit } from '../../limits/refuse-beyond-limit.ts';
import { type Route, type RouteDeps, serve } from '../../route.ts';
import { replayLimitReached, startReplay } from '../start-replay.ts';
import type { CountedRequest } from './as-of.ts';
import { type Count, countMatches } from './count-matches.ts';
import { operations } from './operations.ts';

type BulkOperation = typeof replayEvents | typeof retryDeliveries | typeof cancelDeliveries;

/** The body of each; the filters are those of the list. */
interface Body extends Omit<BodyOf<typeof replayEvents>, 'filter'> {
  filter?: Selection['filter'];
}

/** A count shows so many endpoints, those with the most first. */
const shownEndpoints = 100;

export const bulkRoute = (operation: BulkOperation, does: ReplayOperation): Route =>
  serve(operation, (deps) => async (request, reply) => {
    const { tenant, idempotent } = request;
    const body: Body = request.body;
    const read = readBody(does, body);
    if ('errors' in read) return sendInvalid(reply, read.errors);
    const { ratePerSecond, ...chosen } = read;
    const { limit, endpointId } = chosen;
    if (endpointId !== null) {
      const endpoint = await endpointTable.find(idempotent.effects, tenant, endpointId);
      if (endpoint === undefined || endpoint.deleted_at !== null)
        return sendInvalid(reply, [{ field: '/endpoint_id', message: 'is not the id of an endpoint' }]);
      if (endpoint.disabled_at !== null) return sendProblem(reply, 'conflict', 'The endpoint is disabled');
    }
    const counted: CountedRequest = { tenant, operation: does, request: { ...read } };
    if (body.dry_run === true) {
      const at = nowMicros(deps.clock);
      const counting = { store: idempotent.effects, clock: deps.clock, turns: deps.matchTurns };
      const count = await countMatches(counting, does, tenant, { ...chosen, asOf: formatMicros(at) });
      const asOf = deps.asOf.write(counted, { at, count: Math.min(count.total, limit) });
      return reply.code(202).send(previewOf(count, { limit, ratePerSecond, asOf }));
    }
    const known = body.as_of === undefined ? undefined : deps.asOf.read(counted, body.as_of);
    if (known === undefined) return sendInvalid(reply, [noAsOf]);
    const selection = { ...chosen, asOf: formatMicros(known.at) };
    return start(deps, reply, { does, selection, counted: known.count, ratePerSecond });
  });

const noAsOf = {
  field: '/as_of',
  message: 'must be the as_of of a dry run of the same request: send it with `dry_run`: true first',
};

interface ReadBody extends Omit<Selection, 'asOf'> {
  ratePerSecond: number | null;
}

function readBody(does: ReplayOperation, body: Body): ReadBody | { errors: FieldErrors } {
  const { all = false, limit = maxBulkItems } = body;
  const { rate_per_second: ratePerSecond = null, endpoint_id: endpointId = null } = body;
  const read = readFilters(operations[does].filters, body.filter ?? {});
  if ('errors' in read)
    return { errors: read.errors.map(({ field, message }) => ({ field: `/filter/${field}`, message })) };
  const filter = read.filter as Selection['filter'];
  if (!all && Object.keys(filter).length === 0)
    return {
      errors: [{ field: '/filter', message: 'must have at least one filter, unless the body has `all`: true' }],
    };
  if (body.dry_run === true && body.as_of !== undefined)
    return { errors: [{ field: '/as_of', message: 'comes from a dry run: send it without `dry_run`' }] };
  return { filter, limit, ratePerSecond, endpointId };
}

async function start(
  deps: RouteDeps,
  reply: FastifyReply,
  chosen: { does: ReplayOperation; selection: Selection; counted: number; ratePerSecond: number | null },
): Promise<FastifyReply> {
  const { tenant, body, idempotent } = reply.request;
  const { does: operation, selection, counted, ratePerSecond } = chosen;
  const reached = await replayLimitReached(deps, idempotent.effects, tenant, 'several');
  if (reached !== undefined) return refuseBeyondLimit(reply, reached, deps);
  return startReplay(deps, reply, {
    request: { ...(body as Body), as_of: selection.asOf },
    ratePerSecond,
    create: (tx, begun) => createFilteredReplay(tx, { ...begun, operation, selection, counted }),
    afterCommit: deps.chooseItems,
  });
}

function previewOf(
  { total, byEndpoint, byReason, withFilter, isComplete }: Count,
  { limit, ratePerSecond, asOf }: { limit: number; ratePerSecond: number | null; asOf: string },
): BulkPreview {
  const matched = Math.min(total, limit);
  const mostFirst = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return {
    dry_run: true,
    as_of: asOf,
    matched,
    left_out: total - matched,
    complete: isComplete,
    by_endpoint: mostFirst(byEndpoint)
      .slice(0, shownEndpoints)
      .map(([endpoint_id, deliveries]) => ({ endpoint_id, deliveries, at_most: withFilter.has(endpoint_id) })),
    by_reason: mostFirst(byReason).map(([reason, deliveries]) => ({ reason, deliveries })),
    seconds: ratePerSecond === null ? null : Math.ceil(matched / ratePerSecond),
  };
}
