import type { FastifyReply } from 'fastify';
import { createErasure, eraseEvent, type ErasurePreview, getErasure } from '#lib/api-contract';
import { createId, formatMicros, nowMicros } from '#lib/runtime';
import { eventExists } from '../events/index.ts';
import { readFilters } from '../http/filters.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { type Route, serve } from '../route.ts';
import { countEvents, erasureFilters } from './choose-events.ts';
import { eraseOne } from './erase-one.ts';
import { erasureOf, type ErasureRow, findErasure, findErasureOf, insertErasure, receiptOf } from './erasure-row.ts';

/** A job marks the events that match, page by page, and removes what belongs to them. */
const create = serve(createErasure, ({ clock, random, asOf }) => async (request, reply) => {
  const { tenant, body, idempotent } = request;
  const { effects } = idempotent;
  const read = readFilters(erasureFilters, body.filter);
  if ('errors' in read)
    return sendInvalid(
      reply,
      read.errors.map(({ field, message }) => ({ field: `/filter/${field}`, message })),
    );
  const { filter } = read;
  const asked = { tenant, operation: 'erase_events', request: { filter } };
  if (body.dry_run === true) {
    const now = nowMicros(clock);
    const counted = await countEvents(effects, tenant, filter, formatMicros(now));
    const preview: ErasurePreview = {
      dry_run: true,
      ...counted,
      as_of: asOf.write(asked, { at: now, count: counted.matched }),
    };
    return reply.code(202).send(preview);
  }
  const known = body.as_of === undefined ? undefined : asOf.read(asked, body.as_of);
  if (known === undefined) {
    const message =
      body.as_of === undefined ? missing : 'does not come from a dry run of this tenant with the same filter';
    return sendInvalid(reply, [{ field: '/as_of', message }]);
  }
  const id = createId('ers', clock.nowMs(), random);
  const erasure = await effects.transaction(async (tx) => {
    const facts = { tenant, id, kind: 'events', state: 'marking', event_id: null } as const;
    const begun = await insertErasure(tx, { ...facts, filter, as_of: formatMicros(known.at), events: 0 });
    await request.audit(tx, { id, after: { filter } });
    return begun;
  });
  return sendErasure(reply, erasure);
});

const missing = 'is required: send the same request with `dry_run`: true, which returns it';

const get = serve(getErasure, ({ postgres }) => async (request, reply) => {
  const erasure = await findErasure(postgres, request.tenant, request.params.id);
  return erasure === undefined ? sendProblem(reply, 'not_found') : receiptOf(erasure);
});

/** Marks the event and removes what belongs to it; a job confirms it. */
const erase = serve(eraseEvent, ({ postgres, clock, random }) => async (request, reply) => {
  const { tenant } = request;
  const eventId = request.params.id;
  if (!(await eventExists(postgres, tenant, eventId))) return sendProblem(reply, 'not_found');
  const id = createId('ers', clock.nowMs(), random);
  const begun = await eraseOne(postgres, { tenant, id, eventId, asOf: formatMicros(nowMicros(clock)) }, (tx) =>
    request.audit(tx, { id: eventId, after: { erasure_id: id } }),
  );
  const erasure = begun ?? (await findErasureOf(postgres, tenant, eventId));
  return erasure === undefined ? sendProblem(reply, 'not_found') : sendErasure(reply, erasure);
});

export const erasureRoutes: readonly Route[] = [create, get, erase];

/** Answers that an erasure has begun, or was begun before, with its URL. */
const sendErasure = (reply: FastifyReply, erasure: ErasureRow): FastifyReply =>
  reply.code(202).header('location', `/v1/erasures/${erasure.id}`).send(erasureOf(erasure));
