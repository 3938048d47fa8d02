import { createTransport, type HttpResult } from '#client';
import type { HeaderValues } from '#lib/signatures';
import { usageFailure } from '../command-failure.ts';

/** A request that is sent on as it came. */
export interface Forwarded {
  method: string;
  headers: HeaderValues;
  body: Buffer;
}

/** Below the time limit of the temporary endpoint: the dispatcher hears the outcome. Time enough to look around in a debugger. */
const timeoutMs = 25_000;
/** Headers that belong to the connection that the request came by (RFC 9110, 7.6.1), or are made anew for the next. */
const ofConnection = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

export function forwardTo(
  url: string,
  { method, headers, body }: Forwarded,
  signal?: AbortSignal,
): Promise<HttpResult> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || ofConnection.has(name) ? [] : [[name, value as string | string[]] as const],
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const { origin, pathname, search } = new URL(url);
  return createTransport(origin)({
    method,
    path: pathname + search,
    headers: Object.fromEntries(kept),
    ...(hasBody && { body }),
    timeoutMs,
    signal,
  });
}

/** Where `--forward` sends to: a URL, or the port of this machine. */
export function readTarget(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = /^\d{1,5}(\/.*)?$/.test(text)
    ? `http://127.0.0.1:${text}`
    : /^[\w.-]+:\d/.test(text)
      ? `http://${text}`
      : text;
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:')
    throw usageFailure(`--forward must be a URL such as http://127.0.0.1:3000/webhooks, or a port, not ${text}`);
  return url;
}

/** `--types order.paid,invoice.*` */
export const readTypes = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
