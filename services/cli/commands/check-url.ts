import { isIP } from 'node:net';
import { systemClock } from '#lib/clock';
import { checkUrl, createNameResolver, parseAllowedNetworks, type Resolve, resolveBySystem } from '#lib/http-client';
import { usageFailure } from '../command.ts';
import { readOptions } from '../options.ts';
import { print, printable } from '../output.ts';

export const help = `usage: hookline check-url <url> [--resolve ADDRESS,…]

Whether an endpoint may have this URL: prints \`allowed\` and exits 0, or \`blocked: <reason>\` and exits 1. A wrong call
exits 2. Judged by the defaults, whatever this stack is set to, with plain http taken.

  --resolve ADDRESS,…      the addresses of the host's name, instead of what the name servers say; each is judged. An
                           address that stands in the URL itself is never looked up
  --json                   {"allowed": true}, or false with the reason`;

const policy = { allowHttp: true, allowedNetworks: parseAllowedNetworks([]) };

export async function run(args: readonly string[]): Promise<number> {
  const { values, given } = readOptions(args, { resolve: { type: 'string', multiple: true } }, ['url']);
  const verdict = await checkUrl(given.url, policy, resolverFor(values.resolve));
  print(verdict, values.json, (shown) => (shown.allowed ? 'allowed' : `blocked: ${printable(shown.reason)}`));
  return verdict.allowed ? 0 : 1;
}

function resolverFor(given: readonly string[] | undefined): Resolve {
  if (given === undefined) return createNameResolver({ clock: systemClock, resolveBySystem });
  const addresses = given.flatMap((list) => list.split(',')).map((address) => address.trim());
  const wrong = addresses.find((address) => isIP(address) === 0);
  if (wrong !== undefined) throw usageFailure(`--resolve must be IP addresses by comma, not ${wrong || 'nothing'}`);
  return async () => addresses;
}
