import { isDeepStrictEqual } from 'node:util';
import type { BodyOf, mergeEventType, pauseEventType } from '#lib/api-contract';
import { formatMicros, nowMicros } from '#lib/runtime';
import { readInstant } from '../http/filters.ts';
import { nameErrors } from './given-type.ts';
import type { Lacked } from './prepare-version.ts';
import { findEventType } from './queries.ts';
import { eventTypeOf } from './shown-types.ts';
import {
  type Changing,
  decide,
  findLive,
  finish,
  type Named,
  note,
  noteAudience,
  type Refused,
  set,
  type Stale,
  type TypeChanged,
  unchanged,
  writeNames,
  auditedType,
} from './type-transaction.ts';

/** Gives a type another name. */
export async function renameType(changing: Changing, named: Named, to: string): Promise<TypeChanged | Refused> {
  const { name } = named;
  const errors = nameErrors(to, '/to');
  if (errors.length > 0) return { errors };
  const found = await findLive(changing, named);
  if ('refused' in found) return found;
  const decided = await decide(changing, { do: 'rename', name, to });
  if ('refused' in decided) return decided;
  if (decided.names.length === 0) return unchanged(changing, found);
  const before = await eventTypeOf(changing.tx, changing.tenant, found);
  await noteAudience(changing, found.id);
  await writeNames(changing, decided.names);
  await set(changing, found.id, {});
  await note(changing, found.id, { change: 'renamed', name: to, from: name });
  return finish(changing, to, before);
}

/**
 * Merges a type into another, which gets its names.
 *
 * @param lacked by the newest version of the other, of what the newest of this one has
 * @returns the other
 */
export async function mergeType(
  changing: Changing,
  named: Named,
  { into, reason }: BodyOf<typeof mergeEventType>,
  lacked: Lacked,
): Promise<TypeChanged | Refused | Stale> {
  const { tx, tenant } = changing;
  const { name } = named;
  const found = await findLive(changing, named);
  if ('refused' in found) return found;
  const other = await findEventType(tx, tenant, into);
  if (other !== undefined && (lacked.versions[0] !== found.version || lacked.versions[1] !== other.version))
    return { stale: true };
  const decided = await decide(changing, { do: 'merge', name, into, lacks: lacked.fields.slice(0, 20), reason });
  if ('refused' in decided) return decided;
  const { names, mergedInto = '' } = decided;
  const before = await eventTypeOf(tx, tenant, found);
  await noteAudience(changing, found.id);
  await writeNames(changing, names);
  await tx.query('UPDATE event_types SET merged_into = $3 WHERE tenant = $1 AND (id = $2 OR merged_into = $2)', [
    ...[tenant, found.id, mergedInto],
  ]);
  await set(changing, found.id, {});
  await set(changing, mergedInto, {});
  await note(changing, found.id, { change: 'merged', name, into, notes: reason ?? null });
  return finish(changing, into, before);
}

export async function pauseType(
  changing: Changing,
  named: Named,
  given: BodyOf<typeof pauseEventType>,
): Promise<TypeChanged | Refused> {
  const { name } = named;
  const { reason = null, until } = given;
  const found = await findLive(changing, named);
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
  return finish(changing, name, before);
}

export async function resumeType(changing: Changing, named: Named): Promise<TypeChanged | Refused> {
  const { name } = named;
  const found = await findLive(changing, named);
  if ('refused' in found) return found;
  if (found.paused === null) return unchanged(changing, found);
  const before = await eventTypeOf(changing.tx, changing.tenant, found);
  await set(changing, found.id, { paused: null });
  await note(changing, found.id, { change: 'resumed', name });
  return finish(changing, name, before);
}

/** Retires a type, for ever. */
export async function retireType(changing: Changing, named: Named): Promise<{ retired: true } | Refused> {
  const { tx, tenant } = changing;
  const found = await findLive(changing, named);
  if ('refused' in found) return found;
  const before = await eventTypeOf(tx, tenant, found);
  await tx.query(
    `UPDATE event_types SET retired_at = clock_timestamp(), changed_at = clock_timestamp(), revision = revision + 1
      WHERE tenant = $1 AND id = $2`,
    [tenant, found.id],
  );
  await note(changing, found.id, { change: 'retired', name: named.name });
  await changing.audit({ id: found.id, before: auditedType(before) });
  return { retired: true };
}
