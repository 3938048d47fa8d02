import { hexLine } from '../../parts/hex-dump.ts';
import { indentedJson } from '../../parts/indented-json.ts';
import { type Payload, payloadText } from '../../parts/payload-text.ts';

/** The limit of a payload that is not text. */
const maxHexBytes = 65_536;
const bytesPerLine = 16;

/** A payload in lines: JSON one token after the other, so that two that were sent in one line differ in a few. */
export async function payloadLines(payload: Payload): Promise<readonly string[]> {
  const text = await payloadText(payload);
  switch (text.kind) {
    case 'empty':
      return [];
    case 'json':
      return indentedJson(text.text).split('\n');
    case 'text':
      return text.text.split('\n');
    case 'binary':
    case 'encoded': {
      const lines: string[] = [];
      for (let at = 0; at < Math.min(text.bytes.length, maxHexBytes); at += bytesPerLine)
        lines.push(hexLine(text.bytes, at));
      return lines;
    }
  }
}
