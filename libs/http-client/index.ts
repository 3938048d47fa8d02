export { type HttpClient, type HttpRequest, type HttpResult, createHttpClient } from './http-client.ts';
export { type UrlPolicy, vetUrl } from './vet-url.ts';
export { type Verdict, vetAddress } from './address-vetting.ts';
export { parseAllowedNetworks } from './allowed-networks.ts';
export type { Resolve } from './vetting-connector.ts';
