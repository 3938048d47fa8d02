/** A reading of RFC 9112's status line by hand, octet by octet: for comparing with the client, which has a parser and an expression for it. */

const [lf, cr, sp] = [0x0a, 0x0d, 0x20];
const isDigit = (octet: number | undefined): boolean => octet !== undefined && octet >= 0x30 && octet <= 0x39;

/**
 * The status of the answer; undefined if there is none.
 *
 *   status-line = "HTTP/" DIGIT "." DIGIT SP 3DIGIT [ SP reason-phrase ] ( CRLF | LF )          section 4; 2.2 for the LF alone
 *
 * The reason phrase is ignored ("a client SHOULD ignore the reason-phrase content", 4). A bare CR is replaced with SP (2.2). Ends of lines before a
 * message are ignored. Interim answers (1xx) are passed over with their heads, and 101 is the end of HTTP.
 */
export function statusOf(given: Buffer): number | undefined {
  const bytes = Buffer.from(given.map((octet, index) => (octet === cr && given[index + 1] !== lf ? sp : octet)));
  let at = given.findIndex((octet) => octet !== cr && octet !== lf);
  if (at < 0) return undefined;
  for (;;) {
    while (bytes[at] === lf || bytes[at] === cr) at += 1;
    if (bytes.toString('latin1', at, at + 5) !== 'HTTP/') return undefined;
    if (!isDigit(bytes[at + 5]) || bytes[at + 6] !== 0x2e || !isDigit(bytes[at + 7])) return undefined;
    if (bytes[at + 8] !== sp) return undefined;
    const code = bytes.subarray(at + 9, at + 12);
    if (code.length < 3 || ![...code].every(isDigit)) return undefined;
    at += 12;
    if (bytes[at] === sp) while (at < bytes.length && bytes[at] !== cr && bytes[at] !== lf) at += 1;
    if (bytes[at] === cr) at += 1;
    if (bytes[at] !== lf) return undefined;
    at += 1;
    const status = Number(code.toString('latin1'));
    if (status < 100 || status > 199) return status;
    if (status === 101) return undefined;
    // Its head ends with an empty line.
    for (;;) {
      const end = bytes.indexOf(lf, at);
      if (end < 0) return undefined;
      const isEmpty = end === at || (end === at + 1 && bytes[at] === cr);
      at = end + 1;
      if (isEmpty) break;
    }
  }
}
