/**
 * The addresses that a host may be connected at. An IP literal is vetted on every connect (a guarded lookup would not see it), and a name
 * by every address that it resolves to: one that is refused refuses the name, since a name that mixes them is an attempt to get through.
 * The caller connects to the vetted addresses and does not resolve again, so that a second answer (DNS rebinding) is never asked for.
 */
import type { Networks } from '#lib/net';
import { vetAddress } from './address-vetting.ts';
import { failureOf, SendFailure } from './send-failure.ts';
import { literalAddress } from './vet-url.ts';

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface HostVetting {
  /** The address of a host that needs no resolver; undefined for a name. Throws a SendFailure if it is refused. */
  literal(hostname: string): string | undefined;
  /** Rejects with a SendFailure. */
  addressesOf(name: string): Promise<readonly string[]>;
}

export function createHostVetting(options: { allowedNetworks: Networks; resolve: Resolve }): HostVetting {
  const { allowedNetworks } = options;
  const resolve = joined(options.resolve);
  return {
    literal(hostname) {
      const address = literalAddress(hostname);
      const verdict = address === undefined ? undefined : vetAddress(address, allowedNetworks);
      // The customer wrote this address into the URL, so naming the rule reveals nothing.
      if (verdict?.allowed === false)
        throw new SendFailure('blocked', `the host’s address is not allowed: ${verdict.reason}`);
      return address;
    },
    async addressesOf(name) {
      const addresses = await resolve(name).catch((error: unknown) => {
        throw asLookupFailure(error);
      });
      if (addresses.length === 0) throw failureOf({ code: 'ENODATA', message: `${name} has no address` }, 'connect');
      for (const address of addresses) {
        const verdict = vetAddress(address, allowedNetworks);
        if (!verdict.allowed) {
          // The same sentence for all refusals: a rule or an address would reveal our network name by name.
          throw new SendFailure(
            'blocked',
            'the host’s address is not allowed',
            `${name} leads to ${address}: ${verdict.reason}`,
          );
        }
      }
      return addresses;
    },
  };
}

function asLookupFailure(error: unknown): SendFailure {
  if (error instanceof SendFailure) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const known = ['ENOTFOUND', 'ENODATA'].includes(code) ? failureOf(error, 'connect') : undefined;
  return known ?? new SendFailure('connect', 'the name could not be looked up', message);
}

/** One question at a time for each name: getaddrinfo holds one of few threads, and a slow name must not take them all. */
function joined(resolve: Resolve): Resolve {
  const asked = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const answer = asked.get(hostname) ?? resolve(hostname).finally(() => asked.delete(hostname));
    asked.set(hostname, answer);
    return answer;
  };
}
