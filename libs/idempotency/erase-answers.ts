/** Stored answers that name what was erased: found by what is in them, since they are sealed and nothing else says what they hold. */
import { hash } from 'node:crypto';
import type { Query } from '#lib/postgres';
import { problem, problemContentType } from '#lib/problem';
import type { SecretBox } from '#lib/secret-box';
import type { KeyedRequest, KeptResponse } from './ports.ts';
import { identityOf } from './request-hash.ts';
import type { ForgetResponses } from './redis-responses.ts';
import { openResponse, sealResponse } from './sealed-response.ts';

interface Deps {
  postgres: Query;
  secretBox: SecretBox;
  /** Removes the copies in memory. */
  forget: ForgetResponses;
}

/** The result for one page of a tenant's answers. */
export interface AnswerPage {
  /** How many were erased. */
  erased: number;
  /** The last of the page, behind which the next begins; undefined: that was all. */
  next: readonly [credential: string, keyHash: Buffer] | undefined;
}

const answersAtOnce = 2_000;
const firstKey = ['', Buffer.alloc(0)] as const;
/** A shorter one, sealed, has no room for more than an id of ours: most answers are `{"id":"evt_…"}`. */
const leastBytes = 256;

const findPage = `
  SELECT tenant, credential, key_hash AS "keyHash", request_hash AS "requestHash",
         CASE WHEN octet_length(response) >= ${leastBytes} THEN response END AS response
    FROM idempotency_keys
   WHERE tenant = $1 AND (credential, key_hash) > ($2, $3)
   ORDER BY credential, key_hash
   LIMIT ${answersAtOnce}`;

const replace = `
  UPDATE idempotency_keys SET response = $5
   WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND response = $4`;

type Row = Omit<KeyedRequest, never> & { response: Buffer | null };

/**
 * Puts a 410 in the place of each answer in a page that has one of these names: its request is not carried out again.
 *
 * @param names SHA-256 in hex of texts that are values in an answer's JSON
 */
export async function eraseAnswers(
  { postgres, secretBox, forget }: Deps,
  tenant: string,
  names: ReadonlySet<string>,
  from: NonNullable<AnswerPage['next']> = firstKey,
): Promise<AnswerPage> {
  const rows = await postgres.query<Row>(findPage, [tenant, ...from]);
  const found: KeyedRequest[] = [];
  for (const { response, ...request } of rows) {
    if (response === null || !isNamed(openedBody(secretBox, request, response), names)) continue;
    await postgres.query(replace, [...identityOf(request), response, sealResponse(secretBox, request, gone())]);
    found.push(request);
  }
  await forget(found);
  return { erased: found.length, next: nextOf(rows) };
}

/** Removes a page of a tenant's answers. */
export async function removeAnswers(
  { postgres, forget }: Omit<Deps, 'secretBox'>,
  tenant: string,
): Promise<AnswerPage> {
  const rows = await postgres.query<Row>(findPage, [tenant, ...firstKey]);
  // First the copies: they are not found by anything but their rows.
  await forget(rows);
  await postgres.query(
    `DELETE FROM idempotency_keys k USING unnest($2::text[], $3::bytea[]) AS done (credential, key_hash)
      WHERE k.tenant = $1 AND k.credential = done.credential AND k.key_hash = done.key_hash`,
    [tenant, rows.map(({ credential }) => credential), rows.map(({ keyHash }) => keyHash)],
  );
  return { erased: rows.length, next: nextOf(rows) };
}

function nextOf(rows: readonly Row[]): AnswerPage['next'] {
  const last = rows.at(-1);
  return last === undefined || rows.length < answersAtOnce ? undefined : [last.credential, last.keyHash];
}

function gone(): KeptResponse {
  const body = problem('gone', 'The response held an event that was erased');
  return {
    status: body.status,
    headers: { 'content-type': problemContentType },
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Undefined for one that is not JSON, or sealed under a key that is not configured any more: nobody can read it. */
function openedBody(box: SecretBox, request: KeyedRequest, response: Buffer): unknown {
  try {
    return JSON.parse(openResponse(box, request, response).body.toString());
  } catch {
    return undefined;
  }
}

function isNamed(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return names.has(hash('sha256', value, 'hex'));
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((one) => isNamed(one, names));
}
