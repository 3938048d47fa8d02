import { BlockList, isIP } from 'node:net';
import { AppError } from '#lib/runtime';
import { embeddedIpv4 } from './embedded-ipv4.ts';

/** A set of addresses. */
export interface Networks {
  /** False for texts that are not addresses. A mapped address (`::ffff:…`) counts as its IPv4 address; a zone is ignored. */
  has(address: string): boolean;
}

/** Parses networks in CIDR notation, or single addresses; returns the invalid ones if there are any. */
export function parseNetworks(texts: readonly string[]): { networks: Networks } | { wrong: readonly string[] } {
  const wrong = texts.filter((text) => !isNetwork(text));
  return wrong.length > 0 ? { wrong } : { networks: networksOf(texts) };
}

export const isNetwork = (text: string): boolean => parseCidr(text) !== undefined;

/** Networks from well-formed texts. */
export function networksOf(cidrs: readonly string[]): Networks {
  // Two lists: in one, Node lets an IPv4 address be in an IPv6 network such as `::/0`.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of cidrs) {
    const { address, prefix, family } = parseCidr(cidr) ?? {};
    if (address === undefined || prefix === undefined || family === undefined)
      throw new AppError('bug', `${cidr} is not a network in CIDR notation`);
    lists[family].addSubnet(address, prefix, family);
  }
  return {
    has(given) {
      const address = plainAddress(given);
      if (address === undefined) return false;
      const family = familyOf(address);
      return lists[family].check(address, family);
    },
  };
}

/** An address without its zone, a mapped one as its IPv4 address; undefined if it is not an address. */
export function plainAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version !== 6) return version === 4 ? text : undefined;
  const [address = ''] = text.split('%');
  const embedded = embeddedIpv4(address);
  return embedded?.form === 'mapped' ? embedded.address : address;
}

/**
 * The address of a text that may have a port, as some proxies write `X-Forwarded-For`: `192.0.2.7:51008`, `[2001:db8::7]:51008`, and the brackets
 * alone. Every other text is returned as it is.
 */
export function withoutPort(text: string): string {
  const [, bracketed, plain] = /^(?:\[([^[\]]+)\](?::\d{1,5})?|([^:]+):\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  return address !== undefined && isIP(address) === (bracketed === undefined ? 4 : 6) ? address : text;
}

type Family = 'ipv4' | 'ipv6';

const familyOf = (address: string): Family => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

const mappedBits = 96;

function parseCidr(text: string): { address: string; prefix: number; family: Family } | undefined {
  const [, given = '', prefixText] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = plainAddress(given);
  if (address === undefined) return undefined;
  const family = familyOf(address);
  const bits = isIP(given) === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (prefix > bits) return undefined;
  if (family === 'ipv6' || bits === 32) return { address, prefix, family };
  // Shorter, it would be more than mapped addresses.
  return prefix < mappedBits ? undefined : { address, prefix: prefix - mappedBits, family };
}
