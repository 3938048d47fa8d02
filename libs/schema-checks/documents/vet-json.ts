/** Looks at JSON before it is parsed, byte by byte: what is nested too deep, or has too many values, would take the stack or the memory of who parses it. */
import { documentLimits } from './limits.ts';

/** @returns what is wrong with it; undefined also for text that is no JSON: a parser says that better */
export function vetJson(bytes: Uint8Array): string | undefined {
  let [levels, values, isInString] = [0, 1, false];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (isInString) {
      if (byte === backslash) at += 1;
      else if (byte === quote) isInString = false;
      continue;
    }
    if (byte === quote) isInString = true;
    else if (byte === comma || byte === openBrace || byte === openBracket) {
      values += 1;
      if (values > documentLimits.values) return `must not have more than ${documentLimits.values} values`;
      if (byte !== comma) levels += 1;
      if (levels > documentLimits.levels) return `must not be nested deeper than ${documentLimits.levels}`;
    } else if (byte === closeBrace || byte === closeBracket) levels -= 1;
  }
  return undefined;
}

const [quote, backslash, comma, openBrace, closeBrace, openBracket, closeBracket] = Buffer.from('"\\,{}[]');
