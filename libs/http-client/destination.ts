import { type UrlPolicy, vetParsedUrl } from './vet-url.ts';

/** The parts of a vetted URL. */
export interface Destination {
  readonly origin: string;
  readonly path: string;
  readonly hostname: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Enough for the endpoints in use at a time; a URL has at most 2,048 characters. */
const maxKept = 2_000;

/**
 * Parses and vets URLs: the destination, or why it is refused. Text and policy alone decide, and neither changes, so that a URL is vetted
 * once, however often it is sent to; the addresses of its host are still vetted at every connect (vet-host.ts).
 */
export function createDestinations(policy: UrlPolicy): (url: string) => Destination | { refused: string } {
  const known = new Map<string, Destination | { refused: string }>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const destination = read(text, policy);
    const [oldest] = known.size < maxKept ? [] : known.keys();
    if (oldest !== undefined) known.delete(oldest);
    known.set(text, destination);
    return destination;
  };
}

function read(text: string, policy: UrlPolicy): Destination | { refused: string } {
  const url = URL.parse(text);
  if (url === null) return { refused: 'invalid URL' };
  const verdict = vetParsedUrl(url, policy);
  if (!verdict.allowed) return { refused: `the URL is not allowed: ${verdict.reason}` };
  const { origin, protocol, hostname, port, pathname, search } = url;
  const isTls = protocol === 'https:';
  return { origin, path: `${pathname}${search}`, hostname, port: Number(port) || (isTls ? 443 : 80), isTls };
}
