/**
 * Request smuggling: where a proxy in front and we read one head in two ways, the bytes behind it are a request that the proxy has never
 * checked. Node refuses most such heads (several lengths, a length beside chunks, codings behind `chunked`); these it lets through.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Connections with such a head: later requests on them are not trusted. */
const distrusted = new WeakSet<Socket>();

/**
 * The reason to refuse a request with 400 by its head alone; undefined if there is none. The caller that refuses it closes the connection,
 * so later requests are refused too.
 */
export function problemOfHead(request: IncomingMessage): string | undefined {
  const { socket } = request;
  if (distrusted.has(socket)) return 'This request followed a refused one on the same connection';
  const problem = problemOf(request);
  if (problem !== undefined) distrusted.add(socket);
  return problem;
}

function problemOf({ rawHeaders, headers, httpVersion }: IncomingMessage): string | undefined {
  const isHttp10 = httpVersion === '1.0';
  // RFC 9112, 3.2. HTTP/1.0 knew no Host.
  const hosts = countOf('host', rawHeaders);
  if (hosts > 1) return 'The Host header is repeated';
  if (hosts === 0 && !isHttp10) return 'The Host header is missing';
  // RFC 9112, 6.1. Repeated headers are joined by now, so they don't match either.
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (isHttp10) return 'HTTP/1.0 does not support Transfer-Encoding';
  return coding.toLowerCase() === 'chunked' ? undefined : 'Transfer-Encoding must be chunked, and nothing else';
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name) count += 1;
  return count;
}
