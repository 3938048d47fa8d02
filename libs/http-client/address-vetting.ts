/**
 * Decides which addresses an endpoint may have. Customers name endpoints, and the process that calls them is inside our network: an
 * internal address would let a customer reach what only we may (server-side request forgery).
 *
 * IPv4: everything except the blocks of IANA's special-purpose registry, multicast and the reserved class E. IPv6: only 2000::/3, the one
 * block that IANA assigns for global unicast, minus its special-purpose blocks; all others are refused without a list, so a block assigned
 * tomorrow is refused today. Ranges that IANA marks "globally reachable" within special blocks (anycast of DNS, PCP, TURN, AS112) stay
 * refused: no customer has an endpoint there.
 */
import { isIP } from 'node:net';
import { embeddedIpv4, type Networks, networksOf } from '#lib/net';

export type Verdict = { allowed: true } | { allowed: false; reason: string };

const specialIpv4: readonly (readonly [string, readonly string[]])[] = [
  ['this host', ['0.0.0.0/8']],
  ['a private network', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']],
  ['loopback', ['127.0.0.0/8']],
  ['link-local, where clouds answer for instance metadata', ['169.254.0.0/16']],
  ['a cloud’s metadata host with a public-looking address', ['168.63.129.16/32']],
  ['documentation or benchmarking', ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '198.18.0.0/15']],
  [
    'a protocol assignment',
    ['192.0.0.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.175.48.0/24'],
  ],
  ['multicast', ['224.0.0.0/4']],
  ['reserved or broadcast', ['240.0.0.0/4']],
];

const specialIpv6: typeof specialIpv4 = [
  ['a protocol assignment', ['2001::/23', '2620:4f:8000::/48']],
  ['documentation', ['2001:db8::/32', '3fff::/20']],
  ['a tunnel to IPv4 (6to4)', ['2002::/16']],
];

/** All networks in CIDR notation, for a firewall with the same rules. */
export const specialNetworks: readonly string[] = [...specialIpv4, ...specialIpv6].flatMap(([, cidrs]) => cidrs);

const special: Record<'ipv4' | 'ipv6', { reason: string; networks: Networks }[]> = {
  ipv4: specialIpv4.map(([reason, cidrs]) => ({ reason, networks: networksOf(cidrs) })),
  ipv6: specialIpv6.map(([reason, cidrs]) => ({ reason, networks: networksOf(cidrs) })),
};
const globalUnicast = networksOf(['2000::/3']);

const refused = (reason: string): Verdict => ({ allowed: false, reason });

/**
 * @param allowed special networks that are reachable nevertheless. An IPv6 form with an embedded IPv4 address needs that address allowed
 *   too; a mapped address (`::ffff:…`) counts as its IPv4 address only
 */
export function vetAddress(address: string, allowed: Networks): Verdict {
  const version = isIP(address);
  if (version === 0) return refused('no IP address');
  if (address.includes('%')) return refused('an address with a zone');
  const family = version === 4 ? 'ipv4' : 'ipv6';

  const embedded = family === 'ipv6' ? embeddedIpv4(address) : undefined;
  if (embedded !== undefined) {
    const verdict = vetAddress(embedded.address, allowed);
    if (embedded.form === 'mapped' || !verdict.allowed) return verdict;
  }
  if (allowed.has(address)) return { allowed: true };
  const block = special[family].find(({ networks }) => networks.has(address));
  if (block !== undefined) return refused(block.reason);
  if (family === 'ipv6' && !globalUnicast.has(address)) return refused('outside of IPv6’s global unicast');
  return { allowed: true };
}
