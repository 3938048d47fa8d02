/** IMF-fixdate, and the two obsolete forms that RFC 9110 (5.6.7) has recipients accept: RFC 850's, and C's asctime. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
];
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * The wait from now that a Retry-After header (RFC 9110, 10.2.3) requests: seconds or a date, which may be past. Blanks around the value are no
 * part of it (RFC 9110, 5.5). A fraction, which the RFC does not know and many servers send, counts as the next whole second. Undefined for
 * anything else: Date.parse alone would read `-1` as a year.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const value = header.trim();
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.ceil(Number(value)) * 1_000;
  const date = asctime.test(value) ? `${value} GMT` : value;
  if (date === value && !httpDates.some((pattern) => pattern.test(value))) return undefined;
  const atMs = Date.parse(date);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
