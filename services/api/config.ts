import {
  allowedNetworksField,
  allowHttpField,
  type ConfigOf,
  encryptionFields,
  integer,
  payloadRetentionField,
  postgresFields,
  readConfig,
  serviceFields,
  serviceRelations,
  text,
} from '#lib/config';

export const fields = {
  ...serviceFields(9081),
  ...postgresFields,
  ...encryptionFields,
  port: integer('HOOKLINE_API_PORT', { default: '8081', min: 0, max: 65_535, help: 'port of the API' }),
  adminKey: text('HOOKLINE_ADMIN_KEY', {
    secret: true,
    pattern: /^[\x21-\x7e]{16,512}$/,
    help: 'bearer key that may do everything in every tenant; 16 characters or more, no spaces',
  }),
  apiUrl: text('HOOKLINE_API_URL', {
    default: '',
    pattern: /^$|^https?:\/\/[^/?#]+(\/[^?#]*)?$/,
    help: 'this API as its clients reach it, the base of links in its answers; empty: as the request’s Host has it',
  }),
  ingressUrl: text('HOOKLINE_INGRESS_URL', {
    default: 'http://127.0.0.1:8080',
    pattern: /^https?:\/\/[^/?#]+(\/[^?#]*)?$/,
    help: 'the ingress as senders reach it, the base of each source’s ingest_url',
  }),
  payloadRetentionDays: payloadRetentionField,
  allowHttp: allowHttpField,
  allowedNetworks: allowedNetworksField,
};

export type ApiConfig = ConfigOf<typeof fields>;

export const loadConfig = (): ApiConfig => readConfig(fields, process.env, [serviceRelations]);
