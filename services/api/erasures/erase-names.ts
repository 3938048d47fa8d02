/** Jobs and stored answers that name what was erased: the filter of a replay, the answer to the request that started it. */
import type { RemovedRows } from '#lib/erasure';
import { type AnswerPage, eraseAnswers, type ForgetResponses } from '#lib/idempotency';
import type { Query } from '#lib/postgres';
import type { SecretBox } from '#lib/secret-box';

interface Deps {
  postgres: Query;
  secretBox: SecretBox;
  forget: ForgetResponses;
}

const replaysAtOnce = 2_000;

const findReplays = 'SELECT id FROM replays WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3';

/** Each text of the request is compared whole. */
const eraseRequests = `
  UPDATE replays r
     SET request = '{"erased": true}'
   WHERE r.tenant = $1 AND r.id > $2 AND r.id <= $3
     AND EXISTS (SELECT FROM jsonb_path_query(r.request, 'strict $.**') AS value
                  WHERE jsonb_typeof(value) = 'string'
                    AND sha256(convert_to(value #>> '{}', 'UTF8')) = ANY ($4::bytea[]))
  RETURNING 1`;

/**
 * Goes through a tenant's replays and stored answers, in pages.
 *
 * @param names SHA-256 of the texts
 * @param keepOn called after each page. False: another has the work
 */
export async function eraseNames(
  deps: Deps,
  tenant: string,
  names: readonly Buffer[],
  keepOn: () => Promise<boolean>,
): Promise<RemovedRows | 'lost'> {
  const removed: RemovedRows = {};
  for (let after = ''; ;) {
    const page = await deps.postgres.query<{ id: string }>(findReplays, [tenant, after, replaysAtOnce]);
    const last = page.at(-1)?.id;
    if (last === undefined) break;
    const erased = await deps.postgres.query(eraseRequests, [tenant, after, last, names]);
    if (erased.length > 0) removed['replays'] = (removed['replays'] ?? 0) + erased.length;
    if (!(await keepOn())) return 'lost';
    after = last;
  }
  const inHex = new Set(names.map((name) => name.toString('hex')));
  for (let from: AnswerPage['next'], more = true; more;) {
    const page = await eraseAnswers(deps, tenant, inHex, from);
    if (page.erased > 0) removed['idempotency_keys'] = (removed['idempotency_keys'] ?? 0) + page.erased;
    if (!(await keepOn())) return 'lost';
    from = page.next;
    more = from !== undefined;
  }
  return removed;
}
