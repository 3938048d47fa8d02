import { endOfValue, isSpace, memberAt, skip } from './scan-json.ts';

/**
 * A member's value as it was written. Parsed and serialized again, 12345678901234567890 would become another number, and a signature over
 * the text would fail.
 *
 * @param text valid JSON, as JSON.parse has accepted it
 * @returns undefined if the text is not an object, or has no such member
 */
export function memberText(text: string, name: string): string | undefined {
  const open = skip(text, 0, (char) => isSpace(char) || char === '\uFEFF');
  if (text[open] !== '{') return undefined;
  const at = memberAt(text, open, name);
  return at === open ? undefined : text.slice(at, endOfValue(text, at));
}
