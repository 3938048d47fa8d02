import { isDeepStrictEqual } from 'node:util';
import { isSensitiveHeader } from '#lib/contract';

interface Secretive {
  headers?: Readonly<Record<string, string>> | undefined;
  proxy?: unknown;
  client_certificate?: unknown;
  verify_token?: unknown;
}

/** The settings whose values have secrets and changed, by name: both of their sides look the same in an entry. */
export function maskedChanges(before: Secretive, after: Secretive): { masked_changes?: string[] } {
  const settings = (['proxy', 'client_certificate', 'verify_token'] as const).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  const [was, is] = [before.headers ?? {}, after.headers ?? {}];
  const headers = Object.keys({ ...was, ...is }).filter((name) => isSensitiveHeader(name) && was[name] !== is[name]);
  const changes = [...settings, ...headers.map((name) => `headers/${name}`)];
  return changes.length === 0 ? {} : { masked_changes: changes };
}
