/** Routes that decide whether an endpoint is sent to. */
import { disableEndpoint, enableEndpoint, pauseEndpoint, probeEndpoint, resumeEndpoint } from '#lib/api-contract';
import { changeOf, sendResource } from '../http/etag.ts';
import { readInstant } from '../http/filters.ts';
import { optionalBody } from '../http/patch-body.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import { serve } from '../route.ts';
import { beginPause, endPause } from './pauses.ts';
import { auditedEndpoint, endpointOf, endpointTable, limitOfChange, setDisabled, setEnabled } from './queries.ts';

/** Its open deliveries are dead-lettered. Disabling it again changes nothing. */
export const disable = serve(
  disableEndpoint,
  () => async (request, reply) => {
    const result = await endpointTable.change(request.idempotent.effects, changeOf(request), async (row, tx) => {
      if (row.disabled_at !== null) return row;
      const disabled = await setDisabled(tx, { tenant: request.tenant, id: row.id });
      await request.audit(tx, { id: row.id, before: auditedEndpoint(row), after: auditedEndpoint(disabled) });
      return disabled;
    });
    if ('refused' in result) return sendProblem(reply, result.refused);
    return sendResource(reply, result.changed, endpointOf(result.changed, request.caller));
  },
  () => ({ preValidation: optionalBody }),
);

/** For any reason of its disabling. `…/recover` replays its dead letters. */
export const enable = serve(
  enableEndpoint,
  (deps) => async (request, reply) => {
    const { tenant, idempotent } = request;
    const result = await endpointTable.change(idempotent.effects, changeOf(request), async (row, tx) => {
      if (row.disabled_at === null) return { row };
      const named = { tenant, id: row.id };
      const limit = await limitOfChange(tx, named, deps.limits);
      if (limit !== undefined) return { limit };
      const enabled = await setEnabled(tx, named);
      await request.audit(tx, { id: row.id, before: auditedEndpoint(row), after: auditedEndpoint(enabled) });
      return { row: enabled };
    });
    if ('refused' in result) return sendProblem(reply, result.refused);
    const { row, limit } = result.changed;
    if (limit !== undefined) return refuseBeyondLimit(reply, limit, deps);
    return sendResource(reply, row, endpointOf(row, request.caller));
  },
  () => ({ preValidation: optionalBody }),
);

export const pause = serve(
  pauseEndpoint,
  () => async (request, reply) => {
    const { tenant, idempotent } = request;
    const until = request.body.until === undefined ? undefined : readInstant(request.body.until);
    if (until !== undefined && 'message' in until)
      return sendInvalid(reply, [{ field: '/until', message: until.message }]);
    const result = await endpointTable.change(idempotent.effects, changeOf(request), async (row, tx) => {
      if (row.disabled_at !== null) return undefined;
      const paused = await beginPause(tx, { tenant, id: row.id }, row.pauses, until?.value);
      if (!('message' in paused))
        await request.audit(tx, { id: row.id, before: auditedEndpoint(row), after: auditedEndpoint(paused) });
      return paused;
    });
    if ('refused' in result) return sendProblem(reply, result.refused);
    const { changed } = result;
    if (changed === undefined) return sendProblem(reply, 'conflict', 'The endpoint is disabled: enable it first');
    if ('message' in changed) return sendInvalid(reply, [{ field: '/until', message: changed.message }]);
    return sendResource(reply, changed, endpointOf(changed, request.caller));
  },
  () => ({ preValidation: optionalBody }),
);

/** If it is not paused, nothing changes. */
export const resume = serve(
  resumeEndpoint,
  () => async (request, reply) => {
    const { tenant, idempotent } = request;
    const result = await endpointTable.change(idempotent.effects, changeOf(request), async (row, tx) => {
      const resumed = await endPause(tx, { tenant, id: row.id }, row.pauses);
      if (resumed === undefined) return row;
      await request.audit(tx, { id: row.id, before: auditedEndpoint(row), after: auditedEndpoint(resumed) });
      return resumed;
    });
    if ('refused' in result) return sendProblem(reply, result.refused);
    return sendResource(reply, result.changed, endpointOf(result.changed, request.caller));
  },
  () => ({ preValidation: optionalBody }),
);

/** The revision stays: a probe is no change of a setting. */
export const probe = serve(
  probeEndpoint,
  () => async (request, reply) => {
    const { tenant, idempotent } = request;
    let held: string | undefined;
    const result = await endpointTable.change(idempotent.effects, changeOf(request), async (row, tx) => {
      if (row.disabled_at !== null) held = 'The endpoint is disabled: enable it first';
      else if (row.paused_until !== null) held = `The endpoint is paused until ${row.paused_until}: resume it first`;
      if (held !== undefined) return row;
      const asked = await endpointTable.note(tx, { tenant, id: row.id }, 'probe_asked_at = clock_timestamp()', []);
      await request.audit(tx, { id: row.id, after: { probe: 'now' } });
      return asked;
    });
    if ('refused' in result) return sendProblem(reply, result.refused);
    if (held !== undefined) return sendProblem(reply, 'conflict', held);
    return sendResource(reply, result.changed, endpointOf(result.changed, request.caller));
  },
  () => ({ preValidation: optionalBody }),
);
