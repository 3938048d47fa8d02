import { endOfValue, isSpace, memberAt, skip } from './scan-json.ts';

/**
 * A member's value as it was written: parsed and written again, 12345678901234567890 would come out as another number, and a signature
 * over the text would not fit any more.
 *
 * @param text valid JSON, as JSON.parse has accepted it
 * @returns undefined where it is no object, or one without the member
 */
export function memberText(text: string, name: string): string | undefined {
  const open = skip(text, 0, (char) => isSpace(char) || char === '\uFEFF');
  if (text[open] !== '{') return undefined;
  const at = memberAt(text, open, name);
  return at === open ? undefined : text.slice(at, endOfValue(text, at));
}
