import { isUtf8 } from 'node:buffer';
import { parseExact } from '#lib/exact-json';
import { jsonOfBody } from '#lib/payload';
import { ExactNumber } from './exact-number.ts';

/** An event's payload as filters see it. */
type PayloadContent =
  /** A JSON object or array. */
  | { kind: 'document'; document: object }
  /** Not JSON, or a bare value: no path leads anywhere. */
  | { kind: 'opaque' }
  /** Too large for filters. */
  | { kind: 'unwieldy' };

export interface MatchedPayload {
  /** Bytes to parse. */
  readonly bytes: number;
  content(): PayloadContent;
}

/** The library recurses; without this limit, the depth at which it fails would depend on its caller. */
const maxLevels = 100;
/** Counted before any filter runs. A megabyte of usual JSON has fewer. */
const maxValues = 50_000;

/**
 * Parses on first use, once for all filters; a form is read as `jsonOfBody` does.
 *
 * @param contentType as the sender wrote it
 */
export function matchedPayload(bytes: Buffer, contentType: string): MatchedPayload {
  let content: PayloadContent | undefined;
  return { bytes: bytes.length, content: () => (content ??= contentOf(parse(jsonOfBody(bytes, contentType)))) };
}

/** The same for bytes in a coding that is not known: JSON is matched as it stands, and nothing can be said about everything else. */
export function undecodedPayload(bytes: Buffer): MatchedPayload {
  const document = parse(bytes);
  const content: PayloadContent = document === undefined ? { kind: 'unwieldy' } : contentOf(document);
  return { bytes: bytes.length, content: () => content };
}

function contentOf(document: unknown): PayloadContent {
  if (typeof document !== 'object' || document === null) return { kind: 'opaque' };
  let values = 0;
  const isUnwieldy = (value: unknown, levels: number): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const inner = Object.values(value);
    values += inner.length;
    return levels > maxLevels || values > maxValues || inner.some((next) => isUnwieldy(next, levels + 1));
  };
  return isUnwieldy(document, 1) ? { kind: 'unwieldy' } : { kind: 'document', document };
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  try {
    return parseExact(bytes.toString('utf8').replace(/^\uFEFF/, ''), 'all', (source) => new ExactNumber(source));
  } catch {
    return undefined;
  }
}
