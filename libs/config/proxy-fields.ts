import { isNetwork } from '#lib/net';
import { list, type Problem } from './fields.ts';

/** For services whose clients may come through proxies; `trusting` of libs/net is the rule by it. */
export const trustedProxiesField = list('HOOKLINE_TRUSTED_PROXIES', {
  default: '',
  allowEmpty: true,
  help: 'proxies whose X-Forwarded-For is trusted, as comma-separated addresses or CIDRs',
});

export const proxyRelations = ({ trustedProxies }: { trustedProxies: readonly string[] }): Problem[] =>
  trustedProxies
    .filter((given) => !isNetwork(given))
    .map(
      (given) =>
        `HOOKLINE_TRUSTED_PROXIES: ${JSON.stringify(given)} is neither an address nor a network in CIDR notation`,
    );
