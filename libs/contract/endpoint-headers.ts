/** The headers that users may set on the requests to an endpoint, and those of them whose values are never shown again. */

/** The request's own framing and addressing, what Hookline signs, and what it knows better: a value of somebody else's would break them. */
const reserved = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** The first is that of HTTP/2's pseudo headers. */
const reservedPrefixes = [':', 'hookline-', 'proxy-', 'webhook-'];

export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reserved.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix));
}

const smellsOfASecret = /auth|bearer|cookie|credential|jwt|key|pass|secret|session|signature|token/i;

/** By name: the same few are asked about with each event. */
const known = new Map<string, boolean>();
const maxKnown = 2_000;
const longestKnown = 64;

/** Whether its value is to be taken for a secret. One too many is a value that can't be read again; one too few is a secret that can. */
export function isSensitiveHeader(name: string): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  const isSensitive = smellsOfASecret.test(name);
  if (name.length > longestKnown) return isSensitive;
  if (known.size >= maxKnown) known.clear();
  known.set(name, isSensitive);
  return isSensitive;
}
