import {
  type EventRequest,
  isSensitiveHeader,
  type ReceivedRequest,
  type ReceivedWebhook,
  type RequestHeader,
  type SealedHeaders,
} from '#lib/contract';
import { plainAddress } from '#lib/net';

/** The limit of names and values: as much as is kept of the headers of an answer. */
const maxHeaderBytes = 8 * 1024;
const maxPathLength = 2_048;
/** Length to which a forwarded text is cut that is no address. */
const maxAddressLength = 64;

/** The address that the webhook came from; null where the record does not tell. */
export const clientAddressOf = ({ request }: ReceivedWebhook): string | null =>
  request === null ? null : (plainAddress(request.address) ?? request.address.slice(0, maxAddressLength));

/** The request as its event keeps it: bounded, without secrets. Null where the record has none. */
export function eventRequestOf(webhook: ReceivedWebhook): EventRequest | null {
  const { request, httpHeaders, sealedHeaders } = webhook;
  if (request === null) return null;
  const { method, path } = request;
  const { headers, isWhole } = keptHeaders(request, httpHeaders);
  const sealed = keptSealed(request, sealedHeaders);
  return {
    method,
    path: path.slice(0, maxPathLength),
    client_address: clientAddressOf(webhook) ?? '',
    headers,
    ...(Object.keys(sealed).length > 0 && { sealed }),
    ...(webhook.trail.length > 0 && { trail: webhook.trail }),
    truncated: !isWhole || path.length > maxPathLength,
  };
}

/** More than an endpoint gets: sealed values are a third longer, and none is sent without its name among the headers that are kept. */
const maxSealedBytes = 24 * 1024;

function keptSealed({ secret }: ReceivedRequest, sealedHeaders: SealedHeaders): SealedHeaders {
  const kept: [string, readonly string[]][] = [];
  let bytes = 0;
  for (const [name, values] of Object.entries(sealedHeaders)) {
    if (secret.includes(name)) continue;
    bytes += values.reduce((sum, value) => sum + value.length, name.length);
    if (bytes <= maxSealedBytes) kept.push([name, values]);
  }
  return Object.fromEntries(kept);
}

/** @param values by lower-case name, joined where there are several; credentials left out */
function keptHeaders(
  { secret, names, repeated = {} }: ReceivedRequest,
  values: ReceivedWebhook['httpHeaders'],
): { headers: RequestHeader[]; isWhole: boolean } {
  const places = new Map<string, number>();
  const valueOf = (lower: string): string | null => {
    if (secret.includes(lower) || isSensitiveHeader(lower) || !Object.hasOwn(values, lower)) return null;
    if (!Object.hasOwn(repeated, lower)) return values[lower] ?? null;
    const place = places.get(lower) ?? 0;
    places.set(lower, place + 1);
    return repeated[lower]?.[place] ?? null;
  };
  const headers: RequestHeader[] = [];
  let bytes = 0;
  for (const name of names === '' ? [] : names.split(',')) {
    const value = valueOf(name.toLowerCase());
    bytes += name.length + Buffer.byteLength(value ?? '');
    if (bytes > maxHeaderBytes) return { headers, isWhole: false };
    headers.push({ name, value });
  }
  return { headers, isWhole: true };
}
