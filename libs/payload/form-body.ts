import { isUtf8 } from 'node:buffer';

const mediaType = 'application/x-www-form-urlencoded';

/** @param contentType as the sender wrote it */
export const isForm = (contentType: string): boolean =>
  contentType.split(';', 1)[0]?.trim().toLowerCase() === mediaType;

/**
 * The JSON that places and filters look into: a form is an object of texts, and a list of them where a name is repeated. A form whose only
 * field `payload` is JSON, as GitHub and Slack send it, is that JSON. Every other body is its own.
 *
 * @param content the body without its Content-Encoding
 */
export function jsonOfBody(content: Buffer, contentType: string): Buffer {
  if (!isForm(contentType)) return content;
  const bytes = content
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  // Decoding would make every wrong byte the same U+FFFD, and so two identifiers one.
  if (!isUtf8(Buffer.from(bytes, 'latin1'))) return content;
  const fields = [...Map.groupBy(new URLSearchParams(content.toString('utf8')), ([name]) => name)];
  const [only] = fields;
  const inner = fields.length === 1 && only?.[0] === 'payload' && only[1].length === 1 ? only[1][0]?.[1] : undefined;
  if (inner !== undefined && isJsonDocument(inner)) return Buffer.from(inner);
  const members = fields.map(([name, given]) => {
    const values = given.map(([, value]) => value);
    return `${JSON.stringify(name)}:${JSON.stringify(values.length === 1 ? values[0] : values)}`;
  });
  return Buffer.from(`{${members.join(',')}}`);
}

function isJsonDocument(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
