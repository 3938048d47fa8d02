import { reservedTypeNames } from '#lib/contract';
import { findEventType } from './queries.ts';
import { eventTypeOf } from './shown-types.ts';
import {
  type Changing,
  decide,
  findLive,
  finish,
  note,
  noteAudience,
  type Refused,
  set,
  type Stale,
  type TypeChanged,
  unchanged,
  writeNames,
} from './type-transaction.ts';

/** Gives a type another name. */
export async function renameType(
  changing: Changing,
  { name, to, ifMatch }: { name: string; to: string; ifMatch: string | undefined },
): Promise<TypeChanged | Refused> {
  if (reservedTypeNames.includes(to))
    return { errors: [{ field: '/to', message: 'is reserved: it is part of a path of the API' }] };
  const found = await findLive(changing, { name, ifMatch });
  if ('refused' in found) return found;
  const named = await decide(changing, { do: 'rename', name, to });
  if ('refused' in named) return named;
  if (named.names.length === 0) return unchanged(changing, found);
  const before = await eventTypeOf(changing.tx, changing.tenant, found);
  await noteAudience(changing, found.id);
  await writeNames(changing, named.names);
  await set(changing, found.id, {});
  await note(changing, found.id, { change: 'renamed', name: to, from: name });
  return finish(changing, to, { before });
}

interface Merging {
  name: string;
  into: string;
  reason: string | undefined;
  ifMatch: string | undefined;
  /** Fields of the newest version of the one that the newest of the other lacks, and which versions these are. */
  lacked: { versions: readonly [number | null, number | null]; fields: readonly string[] };
}

/** Merges a type into another, which gets its names. @returns the other */
export async function mergeType(
  changing: Changing,
  { name, into, reason, ifMatch, lacked }: Merging,
): Promise<TypeChanged | Refused | Stale> {
  const { tx, tenant } = changing;
  const found = await findLive(changing, { name, ifMatch });
  if ('refused' in found) return found;
  const other = await findEventType(tx, tenant, into);
  if (other !== undefined && (lacked.versions[0] !== found.version || lacked.versions[1] !== other.version))
    return { stale: true };
  const named = await decide(changing, { do: 'merge', name, into, lacks: lacked.fields.slice(0, 20), reason });
  if ('refused' in named) return named;
  const { mergedInto = '' } = named;
  const before = await eventTypeOf(tx, tenant, found);
  await noteAudience(changing, found.id);
  await writeNames(changing, named.names);
  await tx.query('UPDATE event_types SET merged_into = $3 WHERE tenant = $1 AND (id = $2 OR merged_into = $2)', [
    ...[tenant, found.id, mergedInto],
  ]);
  await set(changing, found.id, {});
  await set(changing, mergedInto, {});
  await note(changing, found.id, { change: 'merged', name, into, notes: reason ?? null });
  return finish(changing, into, { before });
}
