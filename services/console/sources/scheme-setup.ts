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

/** Most providers are so. */
const usual = {
  secretFrom: 'provider',
  contentType: 'application/json',
  events: 'those that your endpoints need; all of them can come, endpoints choose by type',
  isTimed: true,
  needsUrl: false,
} as const;

export const schemeSetups: Readonly<Record<SourceScheme, SchemeSetup>> = {
  hookline: {
    ...usual,
    provider: 'Your own software',
    secretFrom: 'here',
    secret: 'all of it, with whsec_',
    header: 'Hookline-Signature: t=<unix seconds>,v1=<hex>',
    signed: 'HMAC-SHA256 over <t>.<body>',
    where: 'in the software that sends; “hookline sign” prints the headers of a body to compare with',
    events: 'any; /type in the body names the type, /id the event',
  },
  stripe: {
    ...usual,
    provider: 'Stripe',
    secret: 'the signing secret (whsec_…) of the event destination',
    header: 'Stripe-Signature: t=…,v1=<hex>',
    signed: 'HMAC-SHA256 over <t>.<body>',
    where: 'Workbench → Webhooks → Add destination',
  },
  'standard-webhooks': {
    ...usual,
    provider: 'Standard Webhooks or Svix',
    secret: 'whsec_… or, for Ed25519 signatures, the public key whpk_…',
    header: 'webhook-signature: v1,<base64>, with webhook-id and webhook-timestamp (or all three with svix-)',
    signed: 'HMAC-SHA256 over <id>.<timestamp>.<body>',
    where: 'where the provider’s portal asks for an endpoint',
  },
  github: {
    ...usual,
    provider: 'GitHub',
    secretFrom: 'here',
    secret: 'in its field “Secret”',
    header: 'X-Hub-Signature-256: sha256=<hex>',
    signed: 'HMAC-SHA256 over the body',
    where: 'Settings → Webhooks → Add webhook, of a repository or organization',
    contentType: 'application/json (GitHub offers a form first)',
    isTimed: false,
  },
  shopify: {
    ...usual,
    provider: 'Shopify',
    secret: 'the client secret of the app; or the one below the list of webhooks in the shop’s settings',
    header: 'X-Shopify-Hmac-Sha256: <base64>',
    signed: 'HMAC-SHA256 over the body',
    where: 'Settings → Notifications → Webhooks, or the app’s configuration',
    isTimed: false,
  },
  slack: {
    ...usual,
    provider: 'Slack',
    secret: 'the signing secret on the app’s page Basic Information',
    header: 'X-Slack-Signature: v0=<hex>, with X-Slack-Request-Timestamp',
    signed: 'HMAC-SHA256 over v0:<timestamp>:<body>',
    where: 'Event Subscriptions → Request URL; Slack’s test of it is answered once the secret is entered here',
    events: 'subscribe to bot events there',
  },
  square: {
    ...usual,
    provider: 'Square',
    secret: 'the signature key of the subscription',
    header: 'X-Square-HmacSha256-Signature: <base64>',
    signed: 'HMAC-SHA256 over the URL and the body',
    where: 'Developer Console → Webhooks → Subscriptions',
    isTimed: false,
    needsUrl: true,
  },
  paddle: {
    ...usual,
    provider: 'Paddle',
    secret: 'the secret key (pdl_ntfset_…) of the notification destination',
    header: 'Paddle-Signature: ts=…;h1=<hex>',
    signed: 'HMAC-SHA256 over <ts>:<body>',
    where: 'Developer Tools → Notifications → New destination',
  },
  twilio: {
    ...usual,
    provider: 'Twilio',
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
    ...usual,
    provider: 'Adyen',
    secret: 'the HMAC key, in hex',
    header: 'HmacSignature: <base64>, or hmacSignature in every item',
    signed: 'HMAC-SHA256 over the body, or over eight fields of each item',
    where: 'Developers → Webhooks; generate the HMAC key there',
    contentType: 'application/json (choose the method JSON)',
    isTimed: false,
  },
  hmac: {
    ...usual,
    provider: 'Any other that signs with HMAC',
    secretFrom: 'here',
    secret: 'all of it',
    header: 'as set below',
    signed: 'as set below',
    where: 'where the provider asks for a URL',
  },
};

/** In the order of a choice. */
export const schemeNames = Object.keys(schemeSetups) as SourceScheme[];

export const schemeNamed = (name: string | null): SourceScheme | undefined =>
  schemeNames.find((scheme) => scheme === name);
