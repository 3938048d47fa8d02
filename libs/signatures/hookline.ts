import { beginHexHmac } from './hmac-check.ts';
import type { SignatureScheme } from './scheme.ts';

// A rotation sends two signatures; what has many more, or is longer, is an attempt to keep us busy.
const maxParts = 10;
const maxHeaderLength = 4_096;

/**
 * The specification's scheme: `t=<unix seconds>,v1=<hex>`, HMAC-SHA256 over `<t>.<body>`. Read strictly, because two readings of one
 * header are a hole: exactly one `t`, of digits alone (never by parseInt or Number, to which `1700000000abc` and `Infinity` are
 * numbers); parts are split at commas and nothing is trimmed, so ` v1` is another name than `v1`. Parts of other names are ignored.
 */
export const hookline: SignatureScheme = {
  signatureHeader: 'hookline-signature',
  identifyBy: ['/id', '/event_id', '/message_id'],
  typeBy: ['/type'],
  begin({ headers, secrets, nowSeconds, settings }) {
    const given = headers[settings.signatureHeader];
    if (given === undefined || given === '') return { rejection: 'signature_missing' };
    const parsed = typeof given === 'string' ? parse(given) : undefined;
    if (parsed === undefined) return { rejection: 'signature_malformed' };
    // Any text of digits is a number, if perhaps one beyond all tolerance: the comparison never meets NaN.
    if (Math.abs(nowSeconds - Number(parsed.timestamp)) > settings.toleranceSeconds) {
      return { rejection: 'timestamp_out_of_tolerance' };
    }
    return beginHexHmac({ secrets, before: `${parsed.timestamp}.`, given: parsed.signatures });
  },
};

function parse(header: string): { timestamp: string; signatures: string[] } | undefined {
  if (header.length > maxHeaderLength) return undefined;
  const parts = header.split(',', maxParts + 1);
  if (parts.length > maxParts) return undefined;
  const timestamps = parts.filter((part) => part === 't' || part.startsWith('t=')).map((part) => part.slice(2));
  const signatures = parts.filter((part) => part.startsWith('v1=')).map((part) => part.slice(3));
  const [timestamp = ''] = timestamps;
  if (timestamps.length !== 1 || !/^\d+$/.test(timestamp) || signatures.length === 0) return undefined;
  return { timestamp, signatures };
}
