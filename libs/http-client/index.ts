export { type HttpClient, createHttpClient } from './http-client.ts';
export { type HttpRequest, type HttpResult, type HttpRoute, type HttpTiming, noTiming } from './http-exchange.ts';
export { checkUrl, vetUrl } from './vet-url.ts';
export { type Verdict, specialNetworks, vetAddress } from './address-vetting.ts';
export { parseAllowedNetworks } from './allowed-networks.ts';
export { createNameResolver, resolveBySystem } from './name-resolver.ts';
export type { Resolve } from './vet-host.ts';
