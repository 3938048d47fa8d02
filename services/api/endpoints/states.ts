/** Routes that decide whether an endpoint is sent to. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { disableEndpoint, enableEndpoint, pauseEndpoint, probeEndpoint, resumeEndpoint } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import type { AuditedChange } from '../audit/index.ts';
import { changeOf, sendResource } from '../http/etag.ts';
import { readInstant } from '../http/filters.ts';
import { optionalBody } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { Named } from '../resources/resource-table.ts';
import { serve } from '../route.ts';
import { beginPause, endPause } from './pauses.ts';
import {
  auditedEndpoint,
  endpointOf,
  type EndpointRow,
  endpointTable,
  limitOfChange,
  type LockedEndpoint,
  setDisabled,
  setEnabled,
} from './queries.ts';

/** Refuses the request: nothing is changed. */
type Refusal = () => FastifyReply;

/**
 * Changes an endpoint, with an audit entry if it is changed, and answers with it.
 *
 * @param change gives the same row where nothing is to change
 * @param audited what the entry has beside the id; default: the endpoint before and after
 */
async function changeState(
  request: FastifyRequest<{ Params: { id: string } }>,
  reply: FastifyReply,
  change: (row: LockedEndpoint, tx: Query, named: Named) => Promise<EndpointRow | Refusal>,
  audited = (before: EndpointRow, after: EndpointRow): Omit<AuditedChange, 'id'> => ({
    before: auditedEndpoint(before),
    after: auditedEndpoint(after),
  }),
): Promise<FastifyReply> {
  const result = await endpointTable.change(request.idempotent.effects, changeOf(request), async (row, tx) => {
    const changed = await change(row, tx, { tenant: request.tenant, id: row.id });
    if (typeof changed !== 'function' && changed !== row)
      await request.audit(tx, { id: row.id, ...audited(row, changed) });
    return changed;
  });
  if ('refused' in result) return sendProblem(reply, result.refused);
  const { changed } = result;
  return typeof changed === 'function' ? changed() : sendResource(reply, changed, endpointOf(changed, request.caller));
}

const serving = () => ({ preValidation: optionalBody });

/** Its open deliveries are dead-lettered. Disabling it again changes nothing. */
export const disable = serve(
  disableEndpoint,
  () => (request, reply) =>
    changeState(request, reply, async (row, tx, named) => (row.disabled_at === null ? setDisabled(tx, named) : row)),
  serving,
);

/** For any reason of its disabling. `…/recover` replays its dead letters. */
export const enable = serve(
  enableEndpoint,
  (deps) => (request, reply) =>
    changeState(request, reply, async (row, tx, named) => {
      if (row.disabled_at === null) return row;
      const limit = await limitOfChange(tx, named, deps.limits);
      return limit === undefined ? setEnabled(tx, named) : () => refuseBeyondLimit(reply, limit, deps);
    }),
  serving,
);

export const pause = serve(
  pauseEndpoint,
  () => async (request, reply) => {
    const refuse = (message: string): FastifyReply => sendInvalid(reply, [{ field: '/until', message }]);
    const until = request.body.until === undefined ? undefined : readInstant(request.body.until);
    if (until !== undefined && 'message' in until) return refuse(until.message);
    return changeState(request, reply, async (row, tx, named) => {
      if (row.disabled_at !== null)
        return () => sendProblem(reply, 'conflict', 'The endpoint is disabled: enable it first');
      const paused = await beginPause(tx, named, row.pauses, until?.value);
      return 'message' in paused ? () => refuse(paused.message) : paused;
    });
  },
  serving,
);

/** If it is not paused, nothing changes. */
export const resume = serve(
  resumeEndpoint,
  () => (request, reply) =>
    changeState(request, reply, async (row, tx, named) => (await endPause(tx, named, row.pauses)) ?? row),
  serving,
);

/** Why an endpoint can't be sent to now. */
export function heldBy({ disabled_at: disabledAt, paused_until: pausedUntil }: EndpointRow): string | undefined {
  if (disabledAt !== null) return 'The endpoint is disabled: enable it first';
  return pausedUntil === null ? undefined : `The endpoint is paused until ${pausedUntil}: resume it first`;
}

/** The revision stays: a probe is no change of a setting. */
export const probe = serve(
  probeEndpoint,
  () => (request, reply) =>
    changeState(
      request,
      reply,
      async (row, tx, named) => {
        const held = heldBy(row);
        if (held !== undefined) return () => sendProblem(reply, 'conflict', held);
        return endpointTable.note(tx, named, 'probe_asked_at = clock_timestamp()');
      },
      () => ({ after: { probe: 'now' } }),
    ),
  serving,
);
