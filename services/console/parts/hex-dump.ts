import { html, type Html } from '#lib/html';

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
