import {
  type ConfigOf,
  integer,
  list,
  type Problem,
  readConfig,
  serviceFields,
  serviceRelations,
  text,
} from '#lib/config';
import { isNetwork } from '#lib/networks';

const baseUrl = /^https?:\/\/[^/?#]+(\/[^?#]*)?$/;
const optionalBaseUrl = new RegExp(`^$|${baseUrl.source}`);

export const fields = {
  ...serviceFields(9085),
  port: integer('HOOKLINE_CONSOLE_PORT', { default: '8082', min: 0, max: 65_535, help: 'port of the console' }),
  apiUrl: text('HOOKLINE_API_URL', {
    default: 'http://127.0.0.1:8081',
    pattern: baseUrl,
    help: 'URL of the API, without /v1',
  }),
  consoleUrl: text('HOOKLINE_CONSOLE_URL', {
    default: '',
    pattern: optionalBaseUrl,
    help: 'public URL of the console, whose path all pages are below; https makes the cookie Secure; empty: the root of any host',
  }),
  grafanaUrl: text('HOOKLINE_GRAFANA_URL', {
    default: '',
    pattern: optionalBaseUrl,
    help: 'URL of Grafana, for links to its dashboards; empty: no links',
  }),
  runbookUrl: text('HOOKLINE_RUNBOOK_URL', {
    default: '',
    pattern: optionalBaseUrl,
    help: 'URL of the runbook, for links to the section of an alert; empty: no links',
  }),
  trustedProxies: list('HOOKLINE_TRUSTED_PROXIES', {
    default: '',
    allowEmpty: true,
    help: 'proxies whose X-Forwarded-For is trusted, as comma-separated addresses or CIDRs',
  }),
};

export type ConsoleConfig = ConfigOf<typeof fields>;

const trustsNetworks = (config: ConsoleConfig): Problem[] =>
  config.trustedProxies
    .filter((given) => !isNetwork(given))
    .map(
      (given) =>
        `HOOKLINE_TRUSTED_PROXIES: ${JSON.stringify(given)} is neither an address nor a network in CIDR notation`,
    );

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConsoleConfig =>
  readConfig(fields, env, [serviceRelations, trustsNetworks]);
