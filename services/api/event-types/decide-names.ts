/**
 * Which names a tenant's types have, and what may become of them. Every name that was ever given is a row, and belongs to one type for ever:
 *
 *   current ──rename, merge──► alias (renamed, merged) ──rename back──► current
 *
 * An alias names the type, not a name: a rename changes no alias, so that each leads to the current name in one hop, whatever came before. A
 * merge moves all names of a type to another. A retired type keeps its names: all of them are gone, and given to no other.
 *
 * The caller holds the tenant's lock (type-transaction.ts) and applies the changes in the transaction in which it read the names.
 */
import type { AliasKind } from '#lib/contract';

export interface NameRow {
  name: string;
  typeId: string;
  kind: 'current' | AliasKind;
}

/** The known names: the ones that a change is about, and all of the types that they belong to. */
export interface KnownNames {
  names: ReadonlyMap<string, NameRow>;
  /** Ids of retired types. */
  retired: ReadonlySet<string>;
}

export type NameCommand =
  | { do: 'create'; name: string; typeId: string }
  | { do: 'rename'; name: string; to: string }
  /** @param lacks fields of the type that the other one does not have */
  | { do: 'merge'; name: string; into: string; lacks: readonly string[]; reason?: string | undefined }
  /** Retire, pause, describe, publish a version: names stay as they are. */
  | { do: 'change'; name: string };

export type NameDecision = { kind: 'changed'; typeId: string; names: NameRow[]; mergedInto?: string } | Refusal;

interface Refusal {
  kind: 'refused';
  code: 'not_found' | 'gone' | 'conflict';
  detail: string;
}

export function decideNames(known: KnownNames, command: NameCommand): NameDecision {
  if (command.do === 'create') return create(known, command.name, command.typeId);
  const found = findLive(known, command.name);
  if (found.kind !== 'live') return found;
  const { row } = found;
  if (command.do === 'rename') return rename(known, row, command.to);
  if (command.do === 'merge') return merge(known, row, command);
  return { kind: 'changed', typeId: row.typeId, names: [] };
}

function create(known: KnownNames, name: string, typeId: string): NameDecision {
  const taken = whyTaken(known, name);
  if (taken !== undefined) return refuse('conflict', taken);
  return { kind: 'changed', typeId, names: [{ name, typeId, kind: 'current' }] };
}

function rename(known: KnownNames, row: NameRow, to: string): NameDecision {
  const { typeId } = row;
  if (to === row.name) return { kind: 'changed', typeId, names: [] };
  const isItsOwn = known.names.get(to)?.typeId === typeId;
  const taken = isItsOwn ? undefined : whyTaken(known, to);
  if (taken !== undefined) return refuse('conflict', taken);
  return {
    kind: 'changed',
    typeId,
    names: [
      { name: row.name, typeId, kind: 'renamed' },
      { name: to, typeId, kind: 'current' },
    ],
  };
}

function merge(
  known: KnownNames,
  row: NameRow,
  { into, lacks, reason }: Extract<NameCommand, { do: 'merge' }>,
): NameDecision {
  const target = findLive(known, into);
  if (target.kind !== 'live') return refuse('conflict', target.detail);
  const { typeId: mergedInto } = target.row;
  if (mergedInto === row.typeId) return refuse('conflict', `${row.name} can't be merged into itself`);
  if (lacks.length > 0 && (reason ?? '') === '')
    return refuse('conflict', `${into} lacks fields of ${row.name}: ${lacks.join(', ')}. Merge with a reason`);
  const names = [...known.names.values()]
    .filter(({ typeId }) => typeId === row.typeId)
    .map(({ name, kind }): NameRow => ({ name, typeId: mergedInto, kind: kind === 'current' ? 'merged' : kind }));
  return { kind: 'changed', typeId: row.typeId, names, mergedInto };
}

/** The row of a current name whose type lives. */
function findLive(known: KnownNames, name: string): { kind: 'live'; row: NameRow } | Refusal {
  const row = known.names.get(name);
  if (row === undefined) return refuse('not_found', `No event type is called ${name}`);
  if (known.retired.has(row.typeId)) return refuse('gone', `${name} is retired`);
  if (row.kind !== 'current') return refuse('conflict', `${name} is called ${currentName(known, row.typeId)} now`);
  return { kind: 'live', row };
}

/** Why nothing may get this name; undefined: it is free. */
function whyTaken(known: KnownNames, name: string): string | undefined {
  const row = known.names.get(name);
  if (row === undefined) return undefined;
  if (known.retired.has(row.typeId)) return `${name} is retired; a retired name is never given again`;
  if (row.kind === 'current') return `${name} is the name of another event type`;
  return `${name} is kept as an alias of ${currentName(known, row.typeId)}`;
}

export function currentName({ names }: Pick<KnownNames, 'names'>, typeId: string): string | undefined {
  for (const row of names.values()) if (row.typeId === typeId && row.kind === 'current') return row.name;
  return undefined;
}

const refuse = (code: Refusal['code'], detail: string): Refusal => ({ kind: 'refused', code, detail });
