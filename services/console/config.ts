import {
  type ConfigOf,
  integer,
  list,
  type Problem,
  readConfig,
  serviceFields,
  serviceRelations,
  text,
  proxyRelations,
  trustedProxiesField,
} from '#lib/config';
import { tenantPattern } from './reader.ts';

const baseUrl = /^https?:\/\/[^/?#]+(\/[^?#]*)?$/;
const optionalTenant = new RegExp(`^$|${tenantPattern.source}`);
const optionalBaseUrl = new RegExp(`^$|${baseUrl.source}`);

const optionalUrl = (name: string, help: string) => text(name, { default: '', pattern: optionalBaseUrl, help });

export const fields = {
  ...serviceFields(9085),
  port: integer('HOOKLINE_CONSOLE_PORT', { default: '8082', min: 0, max: 65_535, help: 'port of the console' }),
  apiUrl: text('HOOKLINE_API_URL', {
    default: 'http://127.0.0.1:8081',
    pattern: baseUrl,
    help: 'URL of the API, without /v1',
  }),
  consoleUrl: optionalUrl(
    'HOOKLINE_CONSOLE_URL',
    'public URL of the console, whose path all pages are below; https makes the cookie Secure; empty: the root of any host',
  ),
  apiDocsUrl: optionalUrl(
    'HOOKLINE_API_DOCS_URL',
    'URL of the API’s reference, `/docs` of the API as a browser reaches it; empty: no link',
  ),
  grafanaUrl: optionalUrl('HOOKLINE_GRAFANA_URL', 'URL of Grafana, for links to its dashboards; empty: no links'),
  runbookUrl: optionalUrl(
    'HOOKLINE_RUNBOOK_URL',
    'URL of the runbook, for links to the section of an alert; empty: no links',
  ),
  faces: list('HOOKLINE_CONSOLE_FACES', {
    default: 'console,catalog,portal',
    itemPattern: /^(console|catalog|portal)$/,
    help: 'what this process shows: `console`, to who signs in; `catalog`, to everyone; `portal`, to customers with a link. A process that faces the internet can show the last two alone',
  }),
  catalogTenant: text('HOOKLINE_CATALOG_TENANT', {
    default: '',
    pattern: optionalTenant,
    help: 'tenant whose public event types are the catalog; empty: there is no catalog',
  }),
  catalogKey: text('HOOKLINE_CATALOG_KEY', {
    default: '',
    secret: true,
    pattern: /^[\x21-\x7e]{0,512}$/,
    help: 'what the catalog reads event types with: an API key of its tenant with the scope read, or the key of the operator; required with HOOKLINE_CATALOG_TENANT',
  }),
  catalogStaleSeconds: integer('HOOKLINE_CATALOG_STALE_SECONDS', {
    default: '86400',
    min: 0,
    max: 30 * 86_400,
    help: 'while the API or its stores are away, pages of the catalog that were shown before are shown for this time, with their `Age`',
  }),
  catalogThinWords: integer('HOOKLINE_CATALOG_THIN_WORDS', {
    default: '100',
    min: 0,
    max: 10_000,
    help: 'pages of the catalog with fewer words of their own than this are not to be indexed by search engines, and are not in the sitemap',
  }),
  portalFrameOrigins: list('HOOKLINE_PORTAL_FRAME_ORIGINS', {
    default: '',
    allowEmpty: true,
    itemPattern: /^(https:\/\/[a-z0-9.-]+|http:\/\/(localhost|127\.0\.0\.1))(:\d{1,5})?$/,
    help: 'origins, comma-separated, whose pages may embed the portal, such as https://app.example.com; its cookies are then SameSite=None and Partitioned over https; empty: none',
  }),
  trustedProxies: trustedProxiesField,
};

export type ConsoleConfig = ConfigOf<typeof fields>;

const catalogHasKey = ({ catalogTenant, catalogKey, faces }: ConsoleConfig): Problem[] =>
  faces.includes('catalog') && catalogTenant !== '' && catalogKey === ''
    ? ['HOOKLINE_CATALOG_KEY: is required with HOOKLINE_CATALOG_TENANT']
    : [];

const showsSomething = ({ faces, catalogTenant }: ConsoleConfig): Problem[] =>
  faces.includes('console') || faces.includes('portal') || catalogTenant !== ''
    ? []
    : ['HOOKLINE_CONSOLE_FACES: there is nothing to show: `catalog` alone needs HOOKLINE_CATALOG_TENANT'];

export const loadConfig = (env: NodeJS.ProcessEnv = process.env): ConsoleConfig =>
  readConfig(fields, env, [serviceRelations, proxyRelations, showsSomething, catalogHasKey]);
