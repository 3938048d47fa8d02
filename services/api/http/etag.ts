import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ProblemCode } from '#lib/problem';
import { sendMissing, sendProblem } from './send-problem.ts';

/** Counts the changes of a resource; its ETag shows it. */
interface Revised {
  revision: number;
}

const etagOf = ({ revision }: Revised): string => `"${revision}"`;

/** Sends the resource in its current state, with its ETag. */
export const sendResource = (reply: FastifyReply, row: Revised, json: Record<string, unknown>): FastifyReply =>
  reply.header('etag', etagOf(row)).send(json);

/** The same for one that the request has created. @param path where it can be read */
export const sendCreated = (
  reply: FastifyReply,
  path: string,
  row: Revised,
  json: Record<string, unknown>,
): FastifyReply => sendResource(reply.code(201).header('location', path), row, json);

/** Sends the resource that a request reads; 404 or 410 where it is missing. */
export const sendFound = <Row extends Revised & { deleted_at: string | null }>(
  reply: FastifyReply,
  row: Row | undefined,
  jsonOf: (row: Row) => Record<string, unknown>,
): FastifyReply =>
  row === undefined || row.deleted_at !== null ? sendMissing(reply, row) : sendResource(reply, row, jsonOf(row));

/** Answers that a resource is deleted, or why it is not. */
export const sendRemoved = (reply: FastifyReply, result: { refused: ProblemCode } | { changed: void }): FastifyReply =>
  'refused' in result ? sendProblem(reply, result.refused) : reply.code(204).send();

/** The row that a request changes, and the state that it requires. */
export const changeOf = ({ tenant, params, headers }: FastifyRequest<{ Params: { id: string } }>) => ({
  tenant,
  id: params.id,
  ifMatch: headers['if-match'],
});

/**
 * `If-Match` (RFC 9110, 13.1.1): true if the client set no condition, or the row is in the state that it knows. A malformed header matches no
 * state: a careful client never changes more than it meant to.
 */
export function matches(ifMatch: string | undefined, row: Revised): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  // Strong comparison: a weak tag (`W/"1"`) is never the same.
  return ifMatch.split(',').some((tag) => tag.trim() === etagOf(row));
}

/** The tag of an answer that is not one row: a hash of its body. */
export const bodyEtag = (body: string): string => `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;

/** `If-None-Match` (RFC 9110, 13.1.2): whether the client has this body. */
export const isUnchanged = (ifNoneMatch: string | undefined, body: string): boolean =>
  ifNoneMatch !== undefined && hasTag(ifNoneMatch, bodyEtag(body));

/** Weak comparison: tags of caches in between may be weak. @param etag without `W/` */
export const hasTag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
