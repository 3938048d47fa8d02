import type { FastifyReply } from 'fastify';
import type { EventTypeAlias } from '#lib/api-contract';
import { addressOfName } from '#lib/contract';
import { type KeptResponse, sendResponse } from '#lib/idempotency';
import { sendResource } from '../http/etag.ts';
import { sendInvalid, sendProblem } from '../http/send-problem.ts';
import { refuseBeyondLimit } from '../limits/refuse-beyond-limit.ts';
import type { RouteDeps } from '../route.ts';
import type { FoundType } from './queries.ts';
import type { Refused, TypeChanged } from './type-transaction.ts';

/** Answers a change that was refused. */
export function sendRefused(
  reply: FastifyReply,
  refused: Refused,
  deps: Pick<RouteDeps, 'limits' | 'usage'>,
): FastifyReply {
  if ('errors' in refused) return sendInvalid(reply, refused.errors);
  if ('limit' in refused) return refuseBeyondLimit(reply, refused.limit, deps);
  return sendProblem(reply, refused.refused, refused.detail);
}

/** Answers a change that was prepared: with the type, or as the request before did that had its idempotency key. */
export const sendPrepared = (
  reply: FastifyReply,
  changed: { answer: KeptResponse } | { result: TypeChanged | Refused },
  deps: Pick<RouteDeps, 'limits' | 'usage'>,
): FastifyReply => ('answer' in changed ? sendResponse(reply, changed.answer) : sendType(reply, changed.result, deps));

/** Answers a change of a type: with the type as it is now. */
export function sendType(
  reply: FastifyReply,
  result: TypeChanged | Refused,
  deps: Pick<RouteDeps, 'limits' | 'usage'>,
): FastifyReply {
  if (!('type' in result)) return sendRefused(reply, result, deps);
  const { type, revision, isNew } = result;
  if (isNew) void reply.code(201).header('location', typePath(type.name));
  return sendResource(reply, { revision }, type);
}

const typePath = (name: string, below = ''): string => addressOfName('/v1/event-types', name, below);

/**
 * A type that may be read under this name; `sent`: the answer to a request for another, which is 404, 410 for a retired one, or 301 from an alias.
 *
 * @param found what the audience is shown
 * @param below the rest of the path
 */
export function takeNamed(
  reply: FastifyReply,
  found: FoundType | undefined,
  { name, below = '' }: { name: string; below?: string },
): FoundType | { sent: FastifyReply } {
  if (found === undefined) return { sent: sendProblem(reply, 'not_found') };
  if (found.retired_at !== null) return { sent: sendProblem(reply, 'gone') };
  if (found.foundBy === 'current') return found;
  const answer: EventTypeAlias = { name, kind: found.foundBy, target: found.name };
  return { sent: reply.code(301).header('location', typePath(found.name, below)).send(answer) };
}
