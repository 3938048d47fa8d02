import { isUtf8 } from 'node:buffer';
import { parsePointer, valueAt } from './json-pointer.ts';
import { numberSourceAt } from './number-source.ts';
import { endOfValue, isSpace, memberAt, skip } from './scan-json.ts';

/** A number is the characters that it was written with. */
export type Scalar = { kind: 'text'; text: string } | { kind: 'number'; source: string };

export interface JsonBody {
  /** The non-empty text or number at the pointer. Never throws, whatever the body is. */
  scalarAt(pointer: string): Scalar | undefined;
  isJson(): boolean;
}

/** Parses on first use, once: most webhooks are identified by a header. */
export function createJsonBody(body: Buffer): JsonBody {
  let parsed: Parsed | 'not JSON' | undefined;
  return {
    isJson: () => (parsed ??= parse(body)) !== 'not JSON',
    scalarAt(pointer) {
      const tokens = parsePointer(pointer);
      if (tokens === undefined) return undefined;
      parsed ??= parse(body);
      if (parsed === 'not JSON') return undefined;
      const value = valueAt(parsed.document, tokens);
      if (typeof value === 'string' && value !== '') return { kind: 'text', text: value };
      if (typeof value === 'number') return { kind: 'number', source: numberSourceAt(parsed.text, tokens) };
      return undefined;
    },
  };
}

interface Parsed {
  text: string;
  document: unknown;
}

function parse(body: Buffer): Parsed | 'not JSON' {
  // Decoding would make every wrong byte the same U+FFFD, and so two identifiers one.
  if (!isUtf8(body)) return 'not JSON';
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  try {
    return { text, document: JSON.parse(text) as unknown };
  } catch {
    return 'not JSON';
  }
}

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
