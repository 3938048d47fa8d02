import { isIP } from 'node:net';
import type { Networks } from '#lib/net';
import { vetAddress, type Verdict } from './address-vetting.ts';
import type { Resolve } from './vet-host.ts';

export interface UrlPolicy {
  /** Plain http too. */
  allowHttp: boolean;
  allowedNetworks: Networks;
}

const maxUrlLength = 2_048;

/** Names under which clouds answer with a host's credentials: refused by name too, since only inside such a cloud do they resolve. */
const metadataNames = [
  'metadata.google.internal',
  'metadata.goog',
  'metadata.amazonaws.com',
  'instance-data.ec2.internal',
];

/**
 * The part of the vetting that needs no DNS: for the check when an endpoint is created, to be followed by another at every connect.
 * The WHATWG parser has by then written every spelling of an IPv4 address (octal, hexadecimal, short, full-width) in the usual one.
 */
export function vetUrl(text: string, policy: UrlPolicy): Verdict {
  if (text.length > maxUrlLength) return { allowed: false, reason: `longer than ${maxUrlLength} characters` };
  const url = URL.parse(text);
  return url === null ? { allowed: false, reason: 'not a URL' } : vetParsedUrl(url, policy);
}

export function vetParsedUrl(url: URL, policy: UrlPolicy): Verdict {
  const verdict = vetScheme(url, policy);
  if (!verdict.allowed) return verdict;
  if (url.username !== '' || url.password !== '') return { allowed: false, reason: 'has credentials in it' };
  if (url.port === '0') return { allowed: false, reason: 'port 0 does not exist' };
  return vetHost(url.hostname, policy.allowedNetworks);
}

/**
 * The whole vetting, as of now: `vetUrl`, and every address of the name. The reason names rule and address: for the operator, not for the
 * owner of the URL.
 */
export async function checkUrl(text: string, policy: UrlPolicy, resolve: Resolve): Promise<Verdict> {
  const verdict = vetUrl(text, policy);
  if (!verdict.allowed) return verdict;
  const { hostname } = new URL(text);
  if (literalAddress(hostname) !== undefined) return verdict;
  const addresses = await resolve(hostname).catch(() => []);
  if (addresses.length === 0) return { allowed: false, reason: 'a name without an address' };
  for (const address of addresses) {
    const vetted = vetAddress(address, policy.allowedNetworks);
    if (!vetted.allowed) return { allowed: false, reason: `${vetted.reason} (${address})` };
  }
  return { allowed: true };
}

function vetScheme(url: URL, policy: Pick<UrlPolicy, 'allowHttp'>): Verdict {
  if (url.protocol === 'https:' || (url.protocol === 'http:' && policy.allowHttp)) return { allowed: true };
  return { allowed: false, reason: url.protocol === 'http:' ? 'plain http' : 'neither http nor https' };
}

function vetHost(hostname: string, allowedNetworks: Networks): Verdict {
  const address = literalAddress(hostname);
  if (address !== undefined) return vetAddress(address, allowedNetworks);
  if (metadataNames.includes(withoutRootDot(hostname))) return { allowed: false, reason: 'a cloud’s metadata host' };
  return { allowed: true };
}

/** The address of a host that needs no resolver: an IP literal, or `localhost`, which is always loopback (RFC 6761). */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return bare;
  return /(^|\.)localhost$/.test(withoutRootDot(hostname)) ? '127.0.0.1' : undefined;
}

const withoutRootDot = (hostname: string): string => hostname.toLowerCase().replace(/\.$/, '');
