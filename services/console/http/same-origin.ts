import type { IncomingHttpHeaders } from 'node:http';

interface Own {
  /** As the client named it. */
  host: string;
  /** The public origin, if it is known. */
  origin: string | undefined;
}

/**
 * Whether a request that may change something comes from our own pages. Browsers say so themselves in `Sec-Fetch-Site`, which no script can
 * set; where it is absent, as over plain http, in `Origin`. A request with neither is refused: it comes from no form of ours.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, { host, origin: ownOrigin }: Own): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  return origin === ownOrigin || (/^https?:/.test(origin) && new URL(origin).host === host);
}
