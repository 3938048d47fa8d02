import type { Query } from '#lib/postgres';
import { toAppError } from '#lib/runtime';
import type { SecretBox } from '#lib/secret-box';
import type { KeyedRequest } from './ports.ts';
import { identityOf } from './request-hash.ts';
import { openResponse, sealResponse } from './sealed-response.ts';

export interface ResealedResponses {
  /** Under the key that seals now already. */
  current: number;
  resealed: number;
  /** Responses whose key is not configured stay unchanged. Named by the beginning of the key's hash, as in logs. */
  unreadable: { keyHash: string; reason: string }[];
}

const batchSize = 500;

// An expired response is never opened again.
const readSql = `
SELECT tenant, credential, key_hash AS "keyHash", request_hash AS "requestHash", response
FROM idempotency_keys
WHERE (tenant, credential, key_hash) > ($1, $2, $3) AND response IS NOT NULL AND expires_at > clock_timestamp()
ORDER BY tenant, credential, key_hash
LIMIT ${batchSize}`;

// Written by another since it was read, it is sealed under the key that seals now.
const writeSql = `
UPDATE idempotency_keys SET response = $5
WHERE tenant = $1 AND credential = $2 AND key_hash = $3 AND response = $4
RETURNING 1`;

/**
 * Encrypts the stored responses with the current key, row by row, so that nobody waits for more than one. Run it when every process
 * encrypts with that key. Redis's copies under other keys are ignored, and expire within the hour.
 *
 * @throws AppError store_unavailable; rows already done stay done
 */
export async function resealResponses({
  postgres,
  secretBox,
  dryRun,
}: {
  postgres: Query;
  secretBox: SecretBox;
  dryRun: boolean;
}): Promise<ResealedResponses> {
  const counts: ResealedResponses = { current: 0, resealed: 0, unreadable: [] };

  async function reseal({ response, ...request }: Row): Promise<void> {
    if (secretBox.isCurrent(response)) return void (counts.current += 1);
    let resealed: Buffer;
    try {
      resealed = sealResponse(secretBox, request, openResponse(secretBox, request, response));
    } catch (error) {
      const keyHash = request.keyHash.toString('hex', 0, 8);
      return void counts.unreadable.push({ keyHash, reason: toAppError(error).message });
    }
    if (!dryRun) await postgres.query(writeSql, [...identityOf(request), response, resealed]);
    counts.resealed += 1;
  }

  let last: unknown[] = ['', '', Buffer.alloc(0)];
  for (let more = true; more;) {
    const rows = await postgres.query<Row>(readSql, last);
    for (const row of rows) await reseal(row);
    more = rows.length === batchSize;
    const lastRow = rows.at(-1);
    if (lastRow !== undefined) last = identityOf(lastRow);
  }
  return counts;
}

type Row = KeyedRequest & { response: Buffer };
