import { isDeepStrictEqual } from 'node:util';

export type Fields = Readonly<Record<string, unknown>>;

/** The fields that differ, as they were and as they are. A creation and a deletion have one side only, which is whole. */
export function changedFields(before: Fields | null, after: Fields | null): [Fields | null, Fields | null] {
  if (before === null || after === null) return [before, after];
  const names = Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const only = (fields: Fields): Fields =>
    Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, fields[name]]] : [])));
  return [only(before), only(after)];
}
