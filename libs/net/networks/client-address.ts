import { isIP } from 'node:net';
import { type Networks, plainAddress, withoutPort } from './networks.ts';

/** Whether an address is that of a proxy whose forwarded headers are believed, as Fastify's `trustProxy` asks. */
export const trusting =
  (proxies: Networks) =>
  (address: string): boolean =>
    proxies.has(withoutPort(address));

/**
 * The name under which a client is counted: an IPv4 address, or the /64 of an IPv6 address, of which one client has all (RFC 6177). Other texts
 * are one client.
 */
export function clientOf(address: string): string {
  const plain = plainAddress(withoutPort(address));
  if (plain === undefined) return 'unknown';
  if (isIP(plain) === 4) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const before = groupsOf(head);
  const after = tail === undefined ? [] : groupsOf(tail);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const network = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An IPv4 address at the end stands for two groups. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
