const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes as JSON text, whatever their content type; undefined if they are not JSON (RFC 8259: UTF-8, one value). */
export function jsonText(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes);
    JSON.parse(text);
    return text;
  } catch {
    return undefined;
  }
}
