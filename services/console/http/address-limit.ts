import type { Clock } from '#lib/clock';
import { clientOf } from '#lib/networks';
import { createLocalShare, type LocalShare, type Rate } from '#lib/rate-limit';

/** Above it, the address that was not heard of longest is forgotten. */
const maxAddresses = 10_000;

/** Requests of each client, in this process: an address, IPv6 by its /64. @returns 0, or the seconds until the address may ask again */
export function createAddressLimit(rate: Rate, clock: Clock): (address: string) => number {
  const shares = new Map<string, LocalShare>();
  return (ip) => {
    const address = clientOf(ip);
    const nowMs = clock.monotonicMs();
    const share = shares.get(address) ?? createLocalShare(rate, 1, rate.burst, nowMs);
    // Put last: the order of the map is that of the last requests.
    shares.delete(address);
    shares.set(address, share);
    const [oldest] = shares.keys();
    if (oldest !== undefined && shares.size > maxAddresses) shares.delete(oldest);
    return Math.ceil(share.take(nowMs) / 1_000);
  };
}
