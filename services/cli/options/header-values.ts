import type { HeaderValues } from '#lib/signatures';

/** As the ingress has them: a name that came twice with both of its values, so that it is seen. */
export function collectHeaders(given: readonly (readonly [name: string, value: string])[]): HeaderValues {
  const headers = new Map<string, string[]>();
  for (const [name, value] of given) {
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  return Object.fromEntries(
    [...headers].map(([name, [first, ...more]]) => [name, more.length === 0 ? first : [first ?? '', ...more]]),
  );
}
