import type { Rejection } from '#lib/api-contract';
import type { Query } from '#lib/postgres';
import type { PageRequest } from '../http/paging.ts';
import { idPattern } from '../resources/ids.ts';

type ShownBody = Pick<Rejection, 'body' | 'body_encoding' | 'body_truncated'>;

interface RejectionRow extends Omit<Rejection, 'body_bytes' | keyof ShownBody> {
  /** A bigint, as text. */
  body_bytes: string | null;
  body: Buffer | null;
}

export const rejectionId = idPattern('rej');

/** A rejected webhook as shown to the owner of the source. */
export function rejectionOf({ body, body_bytes, ...row }: RejectionRow): Rejection {
  const bodyBytes = body_bytes === null ? null : Number(body_bytes);
  return { ...row, body_bytes: bodyBytes, ...(body !== null && bodyJson(body, bodyBytes !== body.length)) };
}

/** As text if it is text. The last character of a cut body may be incomplete. */
function bodyJson(body: Buffer, cut: boolean): ShownBody {
  const facts = { body_truncated: cut };
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body, { stream: cut });
    return { body: text, body_encoding: 'utf-8', ...facts };
  } catch {
    return { body: body.toString('base64'), body_encoding: 'base64', ...facts };
  }
}

/** The newest first: ids sort by their time. One more than the page holds. */
export function listRejections(
  postgres: Query,
  source: { tenant: string; id: string },
  { after, limit }: PageRequest,
): Promise<RejectionRow[]> {
  return postgres.query<RejectionRow>(
    `SELECT id, at, code, client_address, headers, body_bytes, body FROM rejections
      WHERE tenant = $1 AND source_id = $2 AND ($3::text IS NULL OR id < $3)
      ORDER BY id DESC
      LIMIT $4`,
    [source.tenant, source.id, after, limit + 1],
  );
}
