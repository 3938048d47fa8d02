import { maxHeaderLength, spelled } from './header-values.ts';
import { beginHmac, type HmacForm, signHmac, textKeys } from './hmac-check.ts';
import { refuseTimestamp, type SignatureScheme } from './scheme.ts';

// A rotation sends two signatures; many more are an attempt to keep us busy.
const maxParts = 10;

interface TimedHeader {
  header: string;
  separator: string;
  /** The names of the parts that hold the time and a signature. */
  time: string;
  signature: string;
  /** The text that is signed between the time and the body. */
  joint: string;
}

/**
 * A scheme of one header with the time and one or more signatures in it, such as `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over time, joint
 * and body. Read strictly, because two readings of one header are a hole: exactly one time; parts are split at the separators and
 * nothing is trimmed, so ` v1` is another name than `v1`. Parts of other names are ignored.
 */
export function createTimedHeader(form: TimedHeader): Pick<SignatureScheme, 'signatureHeader' | 'begin' | 'sign'> {
  const hmacForm = (timestamp: string | number): HmacForm => ({
    algorithm: 'sha256',
    encoding: 'hex',
    before: `${timestamp}${form.joint}`,
  });
  return {
    signatureHeader: form.header.toLowerCase(),
    begin(request) {
      const given = request.headers[request.settings.signatureHeader];
      if (given === undefined) return { rejection: 'signature_missing' };
      const parsed = typeof given === 'string' ? parse(given, form) : undefined;
      if (parsed === undefined) return { rejection: 'signature_malformed' };
      const { timestamp, signatures } = parsed;
      const rejection = refuseTimestamp(timestamp, request);
      if (rejection !== undefined) return { rejection };
      return beginHmac(hmacForm(timestamp), textKeys(request.secrets), signatures);
    },
    sign({ secret, timestampSeconds, body, settings }) {
      const signature = signHmac(hmacForm(timestampSeconds), secret, body);
      const parts = [`${form.time}=${timestampSeconds}`, `${form.signature}=${signature}`];
      return { [spelled(form.header, settings)]: parts.join(form.separator) };
    },
  };
}

function parse(
  header: string,
  { separator, time, signature }: TimedHeader,
): { timestamp: string; signatures: string[] } | undefined {
  if (header.length > maxHeaderLength) return undefined;
  const parts = header.split(separator, maxParts + 1);
  if (parts.length > maxParts) return undefined;
  const isTime = (part: string): boolean => part === time || part.startsWith(`${time}=`);
  const timestamps = parts.filter(isTime).map((part) => part.slice(time.length + 1));
  const signatures = parts
    .filter((part) => part.startsWith(`${signature}=`))
    .map((part) => part.slice(signature.length + 1));
  const [timestamp] = timestamps;
  if (timestamp === undefined || timestamps.length > 1 || signatures.length === 0) return undefined;
  return { timestamp, signatures };
}
