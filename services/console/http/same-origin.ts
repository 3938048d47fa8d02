import type { IncomingHttpHeaders } from 'node:http';

interface Own {
  /** The client's; behind a trusted proxy, as the proxy says. */
  protocol: string;
  /** As the client named it. */
  host: string;
  /** The public origin, if it is known. */
  origin: string | undefined;
}

/**
 * Whether a request that may change something comes from our own pages. Browsers say so themselves in `Sec-Fetch-Site`, which no script can
 * set; where it is absent, as over plain http, in `Origin`, whose scheme counts too: a page over plain http may be anybody's. The public
 * origin says which scheme its host has. A request with neither header is refused: it comes from no form of ours.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, { protocol, host, origin: ownOrigin }: Own): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  if (ownOrigin !== undefined && new URL(ownOrigin).host === new URL(origin).host) return origin === ownOrigin;
  return origin === URL.parse(`${protocol}://${host}`)?.origin;
}
