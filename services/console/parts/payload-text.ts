import { decodeContent } from '#lib/content-coding';

/** A payload as it can be shown. */
export type PayloadText =
  | { kind: 'empty' }
  | { kind: 'json' | 'text'; text: string; isDecoded: boolean }
  /** `encoded`: under a coding that could not be undone. */
  | { kind: 'binary' | 'encoded'; bytes: Buffer };

export interface Payload {
  /** As they came. */
  bytes: Buffer;
  contentType: string;
  contentEncoding: string | undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text has no control characters but those of lines and tabs. */
// oxlint-disable-next-line no-control-regex
const noText = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

export async function payloadText({ bytes, contentEncoding }: Payload): Promise<PayloadText> {
  if (bytes.length === 0) return { kind: 'empty' };
  const decoded = await decodeContent(bytes, contentEncoding ?? null);
  if ('undecoded' in decoded) return { kind: 'encoded', bytes };
  const { content } = decoded;
  const text = textOf(content);
  if (text === undefined) return { kind: 'binary', bytes: content };
  return { kind: isJson(text) ? 'json' : 'text', text, isDecoded: content !== bytes };
}

function textOf(bytes: Buffer): string | undefined {
  try {
    const text = utf8.decode(bytes);
    return noText.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Only judged: what is shown is the text. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
