/** The text as the value of a header. A sender chose it, and a header takes printable ASCII: the rest as its UTF-8 bytes in percent-encoding. */
export function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, (rest) =>
    [...Buffer.from(rest)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}
