import { isDeepStrictEqual } from 'node:util';
import { formatMicros, nowMicros } from '#lib/runtime';
import { readInstant } from '../http/filters.ts';
import { eventTypeOf } from './shown-types.ts';
import {
  type Changing,
  findLive,
  finish,
  note,
  type Refused,
  set,
  type TypeChanged,
  unchanged,
} from './type-transaction.ts';

export async function pauseType(
  changing: Changing,
  given: { name: string; reason: string | undefined; until: string | undefined; ifMatch: string | undefined },
): Promise<TypeChanged | Refused> {
  const { name, reason = null, until, ifMatch } = given;
  const found = await findLive(changing, { name, ifMatch });
  if ('refused' in found) return found;
  const end = until === undefined ? undefined : readInstant(until);
  if (end !== undefined && 'message' in end) return { errors: [{ field: '/until', message: end.message }] };
  const now = formatMicros(nowMicros(changing.clock));
  if (end !== undefined && end.value <= now) return { errors: [{ field: '/until', message: 'must be in the future' }] };
  const paused = { since: found.paused?.since ?? now, reason, until: end?.value ?? null };
  if (isDeepStrictEqual(found.paused, paused)) return unchanged(changing, found);
  const before = await eventTypeOf(changing.tx, changing.tenant, found);
  await set(changing, found.id, { paused: JSON.stringify(paused) });
  if (found.paused === null) await note(changing, found.id, { change: 'paused', name, notes: reason });
  return finish(changing, name, { before });
}

export async function resumeType(
  changing: Changing,
  { name, ifMatch }: { name: string; ifMatch: string | undefined },
): Promise<TypeChanged | Refused> {
  const found = await findLive(changing, { name, ifMatch });
  if ('refused' in found) return found;
  if (found.paused === null) return unchanged(changing, found);
  const before = await eventTypeOf(changing.tx, changing.tenant, found);
  await set(changing, found.id, { paused: null });
  await note(changing, found.id, { change: 'resumed', name });
  return finish(changing, name, { before });
}

/** Retires a type, for ever. */
export async function retireType(
  changing: Changing,
  { name, ifMatch }: { name: string; ifMatch: string | undefined },
): Promise<{ retired: true } | Refused> {
  const { tx, tenant } = changing;
  const found = await findLive(changing, { name, ifMatch });
  if ('refused' in found) return found;
  const before = await eventTypeOf(tx, tenant, found);
  await tx.query(
    `UPDATE event_types SET retired_at = clock_timestamp(), changed_at = clock_timestamp(), revision = revision + 1
      WHERE tenant = $1 AND id = $2`,
    [tenant, found.id],
  );
  await note(changing, found.id, { change: 'retired', name });
  await changing.audit({ id: found.id, before });
  return { retired: true };
}
