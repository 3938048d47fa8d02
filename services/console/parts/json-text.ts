import { html, type Html } from '#lib/html';

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
