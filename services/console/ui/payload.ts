import { html, type Html, type HtmlValue } from '#lib/html';
import { decodeContent } from '#lib/payload';
import type { Payload } from '../api-calls/calls.ts';

/** `203 B`, `1.2 kB`, `1 MB`: decimal, as storage is counted. */
export function byteCount(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 999_950 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${Number(size.toFixed(1))} ${unit}`;
}

const bytesPerLine = 16;

/** Bytes as `hexdump -C` prints them. */
export function hexDump(bytes: Buffer, maxBytes: number): Html {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, maxBytes); at += bytesPerLine) lines.push(hexLine(bytes, at));
  return html`<pre class="code" tabindex="0">${lines.join('\n')}</pre>`;
}

export function hexLine(bytes: Buffer, at: number): string {
  const some = [...bytes.subarray(at, at + bytesPerLine)];
  const inHex = (from: number, to: number): string =>
    some
      .slice(from, to)
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join(' ')
      .padEnd(23);
  const shown = some.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
  return `${at.toString(16).padStart(8, '0')}  ${inHex(0, 8)}  ${inHex(8, 16)}  |${shown}|`;
}

/**
 * The text of a member of a JSON object, exactly as it came: parsed and printed again, 9007199254740993 and `1.0` would be other numbers.
 *
 * @param json an object; it must be valid
 * @returns undefined if the object has no such member
 */
export function rawMember(json: string, name: string): string | undefined {
  let depth = 0;
  let key: string | undefined;
  let from = 0;
  for (const match of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gs)) {
    const [token] = match;
    if (token === '{' || token === '[') depth += 1;
    const ends = depth === 1 && (token === ',' || token === '}');
    if (ends && key === name) return json.slice(from, match.index).trim();
    if (ends) key = undefined;
    if (depth === 1 && token === ':' && key !== undefined && from === 0) from = match.index + 1;
    if (depth === 1 && token.startsWith('"') && key === undefined) {
      key = JSON.parse(token) as string;
      from = 0;
    }
    if (token === '}' || token === ']') depth -= 1;
  }
  return undefined;
}

/** Coloured up to here: each token is an element, and a browser with too many of them is slow. The rest is plain. */
const colouredCharacters = 100_000;

/** Strings, with the colon of a key; numbers; words. All else is shown as it stands. */
const token = /("(?:[^"\\\n]|\\.)*"?)(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

/**
 * JSON as it came: its tokens are coloured, but it is never parsed and printed again, so that 9007199254740993, `1.0`, repeated keys and the
 * order of keys stay what they are. What is no JSON is shown all the same.
 */
export function jsonText(text: string): Html {
  const coloured = text.slice(0, colouredCharacters);
  const parts: Html[] = [];
  let at = 0;
  for (const match of coloured.matchAll(token)) {
    const [whole, string, colon, number, word] = match;
    parts.push(html`${coloured.slice(at, match.index)}`);
    if (string !== undefined)
      parts.push(html`<span class="${colon === undefined ? 'j-string' : 'j-key'}">${string}</span>${colon}`);
    else parts.push(html`<span class="${number === undefined ? 'j-word' : 'j-number'}">${number ?? word}</span>`);
    at = match.index + whole.length;
  }
  return html`<pre class="code json" tabindex="0">${parts}${text.slice(at)}</pre>`;
}

/** Deeper levels are not indented further: ten thousand of them would be all spaces. */
const deepestIndent = 40;

/** As many as a megabyte of usual JSON has: what comes after them is left in one line. A megabyte of brackets would be eighty megabytes of spaces. */
const mostCharacters = 2 * 1024 * 1024;

/** Strings as a whole; whitespace between tokens; brackets, commas and colons; runs of anything else. */
const piece = /"(?:[^"\\]|\\.)*"?|\s+|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** Lines and indents for JSON that was sent in one line. Tokens stay as they came: only the whitespace between them is ours. */
export function indentedJson(text: string): string {
  const out: string[] = [];
  let length = 0;
  let depth = 0;
  let before = '';
  const add = (part: string): void => {
    out.push(part);
    length += part.length;
  };
  const newLine = (): void => add(`\n${'  '.repeat(Math.min(depth, deepestIndent))}`);
  for (const { 0: one, index } of text.matchAll(piece)) {
    if (one.trim() === '') continue;
    if (length >= mostCharacters) {
      out.push(text.slice(index));
      break;
    }
    const isOpening = one === '{' || one === '[';
    const isClosing = one === '}' || one === ']';
    if (isClosing) {
      depth = Math.max(0, depth - 1);
      if (before !== '{' && before !== '[') newLine();
    } else if (before === '{' || before === '[' || before === ',') newLine();
    add(one === ':' ? ': ' : one);
    if (isOpening) depth += 1;
    before = one;
  }
  return out.join('');
}

/** A payload as it can be shown. */
export type PayloadText =
  | { kind: 'empty' }
  | { kind: 'json' | 'text'; text: string; isDecoded: boolean }
  /** `encoded`: under a coding that could not be undone. */
  | { kind: 'binary' | 'encoded'; bytes: Buffer };

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

/** Only parsed: the text is shown. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

interface PayloadView {
  payload: Payload;
  text: PayloadText;
  /** Characters of text; of other bytes as many again are shown as a sixteenth of it. */
  maxCharacters: number;
  /** Where the rest is. */
  href?: string;
}

/** A payload for reading: JSON in lines, other text as it is, anything else in hexadecimal. */
export function payloadView({ payload, text, maxCharacters, href }: PayloadView): Html {
  switch (text.kind) {
    case 'empty':
      return note('The payload is empty: 0 bytes.');
    case 'binary':
    case 'encoded': {
      const maxBytes = Math.floor(maxCharacters / 16);
      const why = 'These are the bytes as they came: their Content-Encoding could not be undone.';
      return html`${text.kind === 'encoded' && note(why)}${hexDump(text.bytes, maxBytes)}${text.bytes.length > maxBytes && cut(byteCount(maxBytes), href)}`;
    }
    case 'json':
    case 'text': {
      // In lines already: then as its sender has written it.
      const isOneLine = text.kind === 'json' && !text.text.trim().includes('\n');
      const shown = (isOneLine ? indentedJson(text.text) : text.text).slice(0, maxCharacters);
      const isCut = shown.length === maxCharacters;
      const coding = html`Shown decoded: it came under the Content-Encoding <code>${payload.contentEncoding ?? ''}</code>.`;
      return html`${text.isDecoded && note(coding)}${
        text.kind === 'json' ? jsonText(shown) : html`<pre class="code json" tabindex="0">${`\n${shown}`}</pre>`
      }${isCut && cut(`${maxCharacters.toLocaleString('en')} characters`, href)}`;
    }
  }
}

const note = (sentence: HtmlValue): Html => html`<p class="note">${sentence}</p>`;

const cut = (shown: string, href: string | undefined): Html =>
  html`<p class="muted">Only the first ${shown} are shown.${href !== undefined && html` <a href="${href}">See all of it</a>.`}</p>`;

/** Size and type, as they came. */
export const payloadFacts = ({ bytes, contentType, contentEncoding }: Payload): string =>
  [byteCount(bytes.length), contentType, ...(contentEncoding === undefined ? [] : [contentEncoding])].join(' · ');
