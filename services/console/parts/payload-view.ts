import { html, type Html } from '#lib/html';
import { byteCount } from './byte-count.ts';
import { hexDump } from './hex-dump.ts';
import { indentedJson } from './indented-json.ts';
import { jsonText } from './json-text.ts';
import type { Payload, PayloadText } from './payload-text.ts';

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
      return html`<p class="note">The payload is empty: 0 bytes.</p>`;
    case 'binary':
    case 'encoded': {
      const maxBytes = Math.floor(maxCharacters / 16);
      return html`${
        text.kind === 'encoded' &&
        html`<p class="note">These are the bytes as they came: their Content-Encoding could not be undone.</p>`
      }${hexDump(text.bytes, maxBytes)}${text.bytes.length > maxBytes && cut(byteCount(maxBytes), href)}`;
    }
    case 'json':
    case 'text': {
      // In lines already: then as its sender has written it.
      const isOneLine = text.kind === 'json' && !text.text.trim().includes('\n');
      const shown = (isOneLine ? indentedJson(text.text) : text.text).slice(0, maxCharacters);
      const isCut = shown.length === maxCharacters;
      return html`${
        text.isDecoded &&
        html`<p class="note">Shown decoded: it came under the Content-Encoding <code>${payload.contentEncoding ?? ''}</code>.</p>`
      }${
        text.kind === 'json' ? jsonText(shown) : html`<pre class="code json" tabindex="0">${`\n${shown}`}</pre>`
      }${isCut && cut(`${maxCharacters.toLocaleString('en')} characters`, href)}`;
    }
  }
}

const cut = (shown: string, href: string | undefined): Html =>
  html`<p class="muted">Only the first ${shown} are shown.${href !== undefined && html` <a href="${href}">See all of it</a>.`}</p>`;

/** Size and type, as they came. */
export const payloadFacts = ({ bytes, contentType, contentEncoding }: Payload): string =>
  [byteCount(bytes.length), contentType, ...(contentEncoding === undefined ? [] : [contentEncoding])].join(' · ');
