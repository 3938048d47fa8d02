import type { EventRef, Statement } from '#lib/event-store';

/** `id` empty: the whole tenant. */
interface ErasedRef {
  tenant: string;
  id: string;
}

/**
 * Finds which of these events were erased; an empty id asks for the tenant. A writer that could bring one back asks within its transaction,
 * after it has taken the tenant's clock: events are marked under it, so that no mark is made between this and the commit.
 */
export const findErased: Statement<ErasedRef, ErasedRef> = {
  name: 'find-erased',
  columns: ['tenant', 'id'],
  text: `
    SELECT asked.tenant, asked.id
      FROM unnest($1::text[], $2::text[]) AS asked (tenant, id)
     CROSS JOIN LATERAL (SELECT FROM erased x WHERE x.tenant = asked.tenant AND x.id = asked.id OFFSET 0) AS found`,
};

interface AskedKey {
  tenant: string;
  dedup_key: Buffer;
}

/** Erased events by their deduplication key: a duplicate may name no more than the end of an id. */
export const findErasedByKey: Statement<AskedKey, AskedKey & { id: string }> = {
  name: 'find-erased-by-key',
  columns: ['tenant', 'dedup_key'],
  text: `
    SELECT asked.tenant, asked.dedup_key, found.id
      FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::bytea[]) AS given (tenant, dedup_key)) AS asked
     CROSS JOIN LATERAL (
           SELECT x.id FROM erased x WHERE x.tenant = asked.tenant AND x.dedup_key = asked.dedup_key OFFSET 0) AS found`,
};

export const erasedKey = ({ tenant, id }: ErasedRef): string => `${tenant}\0${id}`;
export const erasedEventKey = ({ tenant, event_id: id }: EventRef): string => erasedKey({ tenant, id });
