import type { ReadApi } from '../../api-calls/console-api.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import type { Rejection } from './source.ts';

const pattern = /^rej_[0-9a-hjkmnp-tv-z]{26}$/;
/** The digits of ids, in their order. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** One of a source: the API lists them only, newest first, so it is the first of those before the next id. */
export async function findRejection(
  api: ReadApi,
  { source, id }: { source: string; id: string },
): Promise<Rejection | undefined> {
  const after = pattern.test(id) ? nextId(id) : undefined;
  if (after === undefined) return undefined;
  const at = withQuery(path`/sources/${source}/rejections`, { cursor: after, limit: 1 });
  const [found] = await api.get<readonly Rejection[]>(at);
  return found?.id === id ? found : undefined;
}

/** The id that comes next in their order; undefined for the last of all. */
export function nextId(id: string): string | undefined {
  const [, kept = '', digit = '', highest = ''] = /^(.*?)([^z])(z*)$/.exec(id) ?? [];
  const next = digits[digits.indexOf(digit) + 1];
  return digit === '' || digit === '_' || next === undefined ? undefined : kept + next + '0'.repeat(highest.length);
}
