import type { SourceScheme } from '#lib/contract';

/** A provider's set-up, and what the form of its scheme asks for: docs/signature-schemes.md in short. */
export interface SchemeSetup {
  /** The provider that signs so. */
  provider: string;
  /** `provider`: it makes the secret, which is entered here. `here`: the source’s own is entered there. */
  secretFrom: 'provider' | 'here';
  /** The provider's name of the secret, and what it looks like. */
  secret: string;
  /** The header of the signature, unless the source has another one. */
  header: string;
  /** The signed content. */
  signed: string;
  /** Where at the provider the URL is entered. */
  where: string;
  contentType: string;
  /** Which events to choose there. */
  events: string;
  /** The signature has a time. */
  isTimed: boolean;
  /** The URL is signed, so it must be known exactly. */
  needsUrl: boolean;
}

const json = 'application/json';
const anyEvents = 'those that your endpoints need; all of them can come, endpoints choose by type';

export const schemeSetups: Readonly<Record<SourceScheme, SchemeSetup>> = {
  hookline: {
    provider: 'Your own software',
    secretFrom: 'here',
    secret: 'all of it, with whsec_',
    header: 'Hookline-Signature: t=<unix seconds>,v1=<hex>',
    signed: 'HMAC-SHA256 over <t>.<body>',
    where: 'in the software that sends; “hookline sign” prints the headers of a body to compare with',
    contentType: json,
    events: 'any; /type in the body names the type, /id the event',
    isTimed: true,
    needsUrl: false,
  },
  stripe: {
    provider: 'Stripe',
    secretFrom: 'provider',
    secret: 'the signing secret (whsec_…) of the event destination',
    header: 'Stripe-Signature: t=…,v1=<hex>',
    signed: 'HMAC-SHA256 over <t>.<body>',
    where: 'Workbench → Webhooks → Add destination',
    contentType: json,
    events: anyEvents,
    isTimed: true,
    needsUrl: false,
  },
  'standard-webhooks': {
    provider: 'Standard Webhooks or Svix',
    secretFrom: 'provider',
    secret: 'whsec_… or, for Ed25519 signatures, the public key whpk_…',
    header: 'webhook-signature: v1,<base64>, with webhook-id and webhook-timestamp (or all three with svix-)',
    signed: 'HMAC-SHA256 over <id>.<timestamp>.<body>',
    where: 'where the provider’s portal asks for an endpoint',
    contentType: json,
    events: anyEvents,
    isTimed: true,
    needsUrl: false,
  },
  github: {
    provider: 'GitHub',
    secretFrom: 'here',
    secret: 'in its field “Secret”',
    header: 'X-Hub-Signature-256: sha256=<hex>',
    signed: 'HMAC-SHA256 over the body',
    where: 'Settings → Webhooks → Add webhook, of a repository or organization',
    contentType: `${json} (GitHub offers a form first)`,
    events: anyEvents,
    isTimed: false,
    needsUrl: false,
  },
  shopify: {
    provider: 'Shopify',
    secretFrom: 'provider',
    secret: 'the client secret of the app; or the one below the list of webhooks in the shop’s settings',
    header: 'X-Shopify-Hmac-Sha256: <base64>',
    signed: 'HMAC-SHA256 over the body',
    where: 'Settings → Notifications → Webhooks, or the app’s configuration',
    contentType: json,
    events: anyEvents,
    isTimed: false,
    needsUrl: false,
  },
  slack: {
    provider: 'Slack',
    secretFrom: 'provider',
    secret: 'the signing secret on the app’s page Basic Information',
    header: 'X-Slack-Signature: v0=<hex>, with X-Slack-Request-Timestamp',
    signed: 'HMAC-SHA256 over v0:<timestamp>:<body>',
    where: 'Event Subscriptions → Request URL; Slack’s test of it is answered once the secret is entered here',
    contentType: json,
    events: 'subscribe to bot events there',
    isTimed: true,
    needsUrl: false,
  },
  square: {
    provider: 'Square',
    secretFrom: 'provider',
    secret: 'the signature key of the subscription',
    header: 'X-Square-HmacSha256-Signature: <base64>',
    signed: 'HMAC-SHA256 over the URL and the body',
    where: 'Developer Console → Webhooks → Subscriptions',
    contentType: json,
    events: anyEvents,
    isTimed: false,
    needsUrl: true,
  },
  paddle: {
    provider: 'Paddle',
    secretFrom: 'provider',
    secret: 'the secret key (pdl_ntfset_…) of the notification destination',
    header: 'Paddle-Signature: ts=…;h1=<hex>',
    signed: 'HMAC-SHA256 over <ts>:<body>',
    where: 'Developer Tools → Notifications → New destination',
    contentType: json,
    events: anyEvents,
    isTimed: true,
    needsUrl: false,
  },
  twilio: {
    provider: 'Twilio',
    secretFrom: 'provider',
    secret: 'the Auth Token of the account',
    header: 'X-Twilio-Signature: <base64>',
    signed: 'HMAC-SHA1 over the URL and the sorted form parameters',
    where: 'the number’s or service’s webhook field',
    contentType: 'as Twilio sends it: a form, or JSON with bodySHA256 in the query',
    events: 'what the field is for: incoming messages, calls, status changes',
    isTimed: false,
    needsUrl: true,
  },
  adyen: {
    provider: 'Adyen',
    secretFrom: 'provider',
    secret: 'the HMAC key, in hex',
    header: 'HmacSignature: <base64>, or hmacSignature in every item',
    signed: 'HMAC-SHA256 over the body, or over eight fields of each item',
    where: 'Developers → Webhooks; generate the HMAC key there',
    contentType: `${json} (choose the method JSON)`,
    events: anyEvents,
    isTimed: false,
    needsUrl: false,
  },
  hmac: {
    provider: 'Any other that signs with HMAC',
    secretFrom: 'here',
    secret: 'all of it',
    header: 'as set below',
    signed: 'as set below',
    where: 'where the provider asks for a URL',
    contentType: json,
    events: anyEvents,
    isTimed: true,
    needsUrl: false,
  },
};

/** In the order of a choice. */
export const schemeNames = Object.keys(schemeSetups) as SourceScheme[];

export const schemeNamed = (name: string | null): SourceScheme | undefined =>
  schemeNames.find((scheme) => scheme === name);
