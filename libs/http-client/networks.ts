import { BlockList, isIP } from 'node:net';
import { AppError } from '#lib/errors';

export type Family = 'ipv4' | 'ipv6';

/** A set of addresses. */
export interface Networks {
  has(address: string, family: Family): boolean;
}

/** From networks that are known to be well formed. */
export function networksOf(cidrs: readonly string[]): Networks {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const { address, prefix, family } = parseCidr(cidr) ?? {};
    if (address === undefined || prefix === undefined)
      throw new AppError('bug', `${cidr} is no network in CIDR notation`);
    list.addSubnet(address, prefix, family);
  }
  return { has: (address, family) => list.check(address, family) };
}

/**
 * The networks of HOOKLINE_ALLOWED_NETWORKS. A single address stands for itself.
 *
 * @throws AppError config_invalid naming every entry that is no network: one that was skipped would be found out in production
 */
export function parseAllowedNetworks(texts: readonly string[]): Networks {
  const wrong = texts.filter((text) => parseCidr(text) === undefined);
  if (wrong.length > 0) {
    const problems = wrong.map(
      (text) => `HOOKLINE_ALLOWED_NETWORKS: ${JSON.stringify(text)} is no network in CIDR notation`,
    );
    throw new AppError('config_invalid', problems.join('\n'));
  }
  return networksOf(texts);
}

function parseCidr(text: string): { address: string; prefix: number; family: Family } | undefined {
  const [, address = '', prefixText] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const bits = version === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  return prefix > bits ? undefined : { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}
