import { type Networks, parseNetworks } from '#lib/net';
import { AppError } from '#lib/runtime';

/**
 * The networks of HOOKLINE_ALLOWED_NETWORKS.
 *
 * @throws AppError config_invalid with every invalid entry: a skipped one would be noticed only in production
 */
export function parseAllowedNetworks(texts: readonly string[]): Networks {
  const parsed = parseNetworks(texts);
  if ('networks' in parsed) return parsed.networks;
  const problems = parsed.wrong.map(
    (text) => `HOOKLINE_ALLOWED_NETWORKS: ${JSON.stringify(text)} is not a network in CIDR notation`,
  );
  throw new AppError('config_invalid', problems.join('\n'));
}
