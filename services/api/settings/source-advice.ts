import type { SourceScheme, SourceSettings } from '#lib/contract';
import { signatureSchemes } from '#lib/signatures';

/** Sentences for the owner of a source whose settings are valid, and probably not what is meant. */
export function sourceAdvice(name: SourceScheme, { hmac }: SourceSettings): string[] {
  const header = hmac?.header.toLowerCase();
  if (name !== 'hmac' || header === undefined) return [];
  return Object.entries(signatureSchemes).flatMap(([known, { signatureHeader }]) =>
    known !== name && signatureHeader === header
      ? [
          `The header ${hmac?.header} is that of the scheme ${known}, which also knows where its events have their identifiers and types: create a source with that scheme`,
        ]
      : [],
  );
}
