import { isIP } from 'node:net';
import { checkUrl, createNameResolver, parseAllowedNetworks, type Resolve, resolveBySystem } from '#lib/http-client';
import { usageFailure } from '../command-failure.ts';
import type { Context } from '../context.ts';
import { print, printable } from '../output/print.ts';

const policy = { allowHttp: true, allowedNetworks: parseAllowedNetworks([]) };

export async function checkEndpointUrl(
  url: string,
  { resolve, json }: { resolve: string[] | undefined; json: boolean },
  context: Context,
): Promise<number> {
  const verdict = await checkUrl(url, policy, resolverFor(resolve, context));
  print(context, verdict, json, (shown) => (shown.allowed ? 'allowed' : `blocked: ${printable(shown.reason)}`));
  return verdict.allowed ? 0 : 1;
}

function resolverFor(given: readonly string[] | undefined, { clock }: Context): Resolve {
  if (given === undefined) return createNameResolver({ clock, resolveBySystem });
  const addresses = given.flatMap((list) => list.split(',')).map((address) => address.trim());
  const wrong = addresses.find((address) => isIP(address) === 0);
  if (wrong !== undefined)
    throw usageFailure(`--resolve must be IP addresses, separated by commas, not ${wrong || 'nothing'}`);
  return async () => addresses;
}
