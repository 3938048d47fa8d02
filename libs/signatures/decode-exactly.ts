/**
 * The bytes of a text, or undefined if it is not exactly their encoding: Node's decoder skips unknown characters and stops early, so that
 * many texts would be the same signature. Hex is lower-case; base64 is padded, base64url is not.
 */
export function decodeExactly(text: string, encoding: 'hex' | 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
