/**
 * The bytes of a text, or undefined where it is not exactly their encoding: Node's own decoder skips what it does not know and stops
 * where it likes, so that many texts are one signature. Hex is lower-case; base64 is padded, base64url is not.
 */
export function decodeExactly(text: string, encoding: 'hex' | 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
