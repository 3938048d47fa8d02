export { type Networks, isNetwork, networksOf, parseNetworks, plainAddress, withoutPort } from './networks.ts';
export { clientOf, trusting } from './client-address.ts';
export { embeddedIpv4 } from './embedded-ipv4.ts';
