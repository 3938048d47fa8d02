import { canonicalNumber } from '#lib/exact-json';
import { createJsonBody, jsonOfBody, locateScalar, shownScalar } from '#lib/payload';
import type { HeaderValues } from '#lib/signatures';
import { headerText } from './http-headers.ts';
import { locatorsOf, type LocatorRule } from './record-headers.ts';

/** The webhook's ordering key; null: its order is not kept. */
export type OrderingKey = (webhook: { headers: HeaderValues; body: Buffer }) => string | null;

/** The body is parsed only where a rule leads into it, and what no record key can be is its hash (see shownScalar). */
export function createOrderingKey(rules: readonly LocatorRule[]): OrderingKey {
  if (rules.length === 0) return () => null;
  return ({ headers, body }) => {
    const scalar = locateScalar(
      locatorsOf(rules, headers),
      createJsonBody(jsonOfBody(body, headerText(headers, 'content-type') ?? '')),
    );
    if (scalar === undefined) return null;
    // Numbers of one value are one key.
    return shownScalar(scalar.kind === 'number' ? { kind: 'number', source: canonicalNumber(scalar.source) } : scalar);
  };
}
