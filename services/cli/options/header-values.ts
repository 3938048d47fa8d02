import type { HeaderValues } from '#lib/signatures';

/** In the ingress's form: a repeated name has both values, so that repetition is noticed. */
export function collectHeaders(given: readonly (readonly [name: string, value: string])[]): HeaderValues {
  const headers = new Map<string, string[]>();
  for (const [name, value] of given) {
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), value]);
  }
  return Object.fromEntries(
    [...headers].map(([name, [first, ...more]]) => [name, more.length === 0 ? first : [first ?? '', ...more]]),
  );
}
