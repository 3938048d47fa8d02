import { dedupRules, type SourceScheme, type SourceSettings } from '#lib/contract';
import { signatureSchemes } from './schemes.ts';

/** How webhooks of a source are identified. */
export interface IdentityRule {
  /** `header:Name` or JSON pointers, tried in order; a list joins its values. */
  places: readonly (string | readonly string[])[];
  /** The identifier counts together with this: `body`, `receipt`, or a header as `header:Name`. Null: it is exact. */
  with: 'body' | 'receipt' | `header:${string}` | null;
}

/**
 * The rule of a source. A named identifier is exact: that of a scheme, or an own `dedup_id`. One that is only guessed counts together with
 * the body: two states of one order have the same `/id`.
 *
 * @param dedupRule the source's column of that name
 */
export function identityRule(
  name: SourceScheme,
  { dedup_id: own, dedup }: Pick<SourceSettings, 'dedup_id' | 'dedup'>,
  dedupRule: number,
): IdentityRule {
  const scheme = signatureSchemes[name];
  const places = own ?? scheme.identifyBy;
  if (dedup === 'off') return { places, with: 'receipt' };
  const isExact = own !== undefined || dedupRule === dedupRules.exact;
  return { places, with: isExact ? null : (scheme.countedWith ?? null) };
}
