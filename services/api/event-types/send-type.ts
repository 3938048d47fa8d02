import type { FastifyReply } from 'fastify';
import type { EventTypeAlias } from '#lib/api-contract';
import { addressOfName, type EventTypeVisibility } from '#lib/contract';
import { sendResponse } from '#lib/idempotency';
import { sendResource } from '../http/etag.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { RouteDeps } from '../route.ts';
import type { FoundType } from './queries.ts';
import { findShown } from './shown-types.ts';
import {
  changePrepared,
  changeTypes,
  type Changing,
  type Preparing,
  type Refused,
  type TypeChanged,
} from './type-transaction.ts';

/** Answers a change that was refused. */
export function sendRefused(reply: FastifyReply, refused: Refused, deps: RouteDeps): FastifyReply {
  if ('errors' in refused) return sendInvalid(reply, refused.errors);
  if ('limit' in refused) return refuseBeyondLimit(reply, refused.limit, deps);
  return sendProblem(reply, refused.refused, refused.detail);
}

/** Makes a change, and answers with the type as it is now. */
export const sendChanged = async (
  reply: FastifyReply,
  deps: RouteDeps,
  work: (changing: Changing) => Promise<TypeChanged | Refused>,
): Promise<FastifyReply> => sendType(reply, deps, await changeTypes(reply.request, deps, work));

/** The same for a change that was prepared; or answers as the request before did that had its idempotency key. */
export async function sendPrepared<P>(
  reply: FastifyReply,
  deps: RouteDeps,
  preparing: Preparing<P, TypeChanged | Refused>,
): Promise<FastifyReply> {
  const changed = await changePrepared(reply.request, deps, preparing);
  return 'answer' in changed ? sendResponse(reply, changed.answer) : sendType(reply, deps, changed.result);
}

function sendType(reply: FastifyReply, deps: RouteDeps, result: TypeChanged | Refused): FastifyReply {
  if (!('type' in result)) return sendRefused(reply, result, deps);
  const { type, revision, isNew } = result;
  if (isNew) void reply.code(201).header('location', typePath(type.name));
  return sendResource(reply, { revision }, type);
}

const typePath = (name: string, below = ''): string => addressOfName('/v1/event-types', name, below);

/**
 * A type that may be read under this name; `sent`: the answer to a request for another, which is 404, 410 for a retired one, or 301 from an alias.
 *
 * @param below the rest of the path
 */
export async function takeNamed(
  reply: FastifyReply,
  { postgres }: Pick<RouteDeps, 'postgres'>,
  { name, audience, below = '' }: { name: string; audience: EventTypeVisibility; below?: string },
): Promise<FoundType | { sent: FastifyReply }> {
  const found = await findShown(postgres, reply.request.tenant, name, audience);
  if (found === undefined) return { sent: sendProblem(reply, 'not_found') };
  if (found.retired_at !== null) return { sent: sendProblem(reply, 'gone') };
  if (found.foundBy === 'current') return found;
  const answer: EventTypeAlias = { name, kind: found.foundBy, target: found.name };
  return { sent: reply.code(301).header('location', typePath(found.name, below)).send(answer) };
}
