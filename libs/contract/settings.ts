/** The columns `settings`, `private` and `secrets`, which the api writes and ingress and dispatcher read. Absent means the default below. */

/** A column `secrets` is a JSON list of these, sealed (libs/secret-box) for the context that `secretsContext` gives. */
export interface StoredSecret {
  secret: string;
  /** For endpoints that also sign with Ed25519: the key that goes with this secret, and expires with it (libs/signatures). */
  private_key?: string;
  /** Set on the one that a rotation replaces: RFC 3339, valid until then. */
  expires_at?: string;
}

/** A column `public_keys` is a JSON list of these, the newest first: what belongs to the private keys among the secrets. */
export interface StoredPublicKey {
  key: string;
  expires_at?: string;
}

export const secretsContext = (table: 'sources' | 'endpoints', tenant: string, id: string): string =>
  `${table}/${tenant}/${id}`;

export const sourceSchemes = [
  'hookline',
  'stripe',
  'standard-webhooks',
  'github',
  'shopify',
  'slack',
  'square',
  'paddle',
  'twilio',
  'adyen',
  'hmac',
] as const;
export type SourceScheme = (typeof sourceSchemes)[number];

export interface SourceSettings {
  signature_header?: string;
  /** Needed by the scheme `hmac`, and used by no other. */
  hmac?: HmacSettings;
  /** The URL that the sender believes it calls: some schemes sign it. */
  public_url?: string;
  /**
   * `header:Name` or JSON pointers, tried in order; an entry that is a list joins its values. The default is the scheme's own: identityRule of
   * libs/signatures.
   */
  dedup_id?: readonly (string | readonly string[])[];
  /** `off`: each receipt is an event. */
  dedup?: 'on' | 'off';
  dedup_ttl_seconds?: number;
  event_type_from?: readonly string[];
  /** `header:Name` or JSON pointers, tried in order: webhooks of one key stay in the order in which they came. */
  ordering_key?: readonly string[];
  /** `header:Name` or a JSON pointer for each tag of an event, by the tag's name: tags.ts. */
  tags_from?: Record<string, string>;
  timestamp_tolerance_seconds?: number;
  /** Addresses and networks (`192.0.2.0/24`) that may send; any may where there is no list. */
  allowed_ips?: readonly string[];
  rate_limit?: RateLimit;
  response_status?: 200 | 202 | 204;
  /** Only senders who show a client certificate that the ingress's authorities have signed. */
  client_certificate?: ClientCertificateSettings;
  /** Answers `hub.challenge` where `hub.verify_token` is this. */
  verify_token?: string;
  /** Whether a rejected webhook's body is kept with its reason; it may be anybody's. */
  keep_rejected_bodies?: boolean;
}

export interface HmacSettings {
  algorithm: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  encoding: 'hex' | 'base64' | 'base64url';
  header: string;
  /** The text before the signature in its header, such as `sha256=`. */
  prefix?: string;
  /** The signed text: the parts `id`, `timestamp`, `url`, `body` and what joins them (libs/signatures/signed-template.ts). */
  signed: string;
  /** Needed where a timestamp is signed: Unix seconds, held to the source's tolerance. */
  timestamp_header?: string;
  /** Needed where an id is signed. */
  id_header?: string;
}

interface RateLimit {
  per_second: number;
  burst: number;
}

interface ClientCertificateSettings {
  required: boolean;
  /** SHA-256 of the certificates that may be shown, in hex; any that the authorities have signed where there is no list. */
  fingerprints?: readonly string[];
}

/**
 * The column `dedup_rule` of a source, for its default identifier. 1: exact, wherever it was found, as in versions up to 0.2; sources from
 * then keep it until `dedup_id` is given. 2: as the scheme has it now.
 */
export const dedupRules = { exact: 1, ofScheme: 2 } as const;

export const sourceDefaults = {
  dedup: 'on',
  dedup_ttl_seconds: 72 * 3600,
  timestamp_tolerance_seconds: 300,
  response_status: 202,
} as const;

export const endpointMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type EndpointMethod = (typeof endpointMethods)[number];

/** With its secrets, as it is in memory alone: how it is stored is private-settings.ts. */
export interface EndpointSettings {
  method?: EndpointMethod;
  /** Sent with each request, beside Hookline's own: endpoint-headers.ts. */
  headers?: Record<string, string>;
  /** The provider's headers that go to the receiver too: names, and beginnings such as `X-GitHub-*` (pass-headers.ts). */
  pass_headers?: readonly string[];
  /** `http(s)://[user[:password]@]host[:port]`, through which its requests go. */
  proxy?: string;
  /** Shown to a receiver that asks for one. */
  client_certificate?: EndpointCertificate;
  /** Deliveries bear an Ed25519 signature too. */
  ed25519?: boolean;
  timeout_ms?: number;
  max_in_flight?: number;
  rate_limit?: RateLimit;
  /** Events of one ordering key are sent in their order, each after the one before has ended. */
  ordered?: boolean;
  retry?: BackoffSettings | ScheduleSettings;
}

/** In PEM. */
export interface EndpointCertificate {
  /** PEM; certificates of intermediate authorities may follow. */
  certificate: string;
  private_key: string;
}

/** `random(0, min(cap, base · 2^attempt))` until the window has passed since the delivery's creation, or the attempts are used up. */
export interface BackoffSettings {
  base_seconds?: number;
  cap_seconds?: number;
  window_seconds?: number;
  max_attempts?: number;
}

/** One retry after each of these waits, and no more than these. */
export interface ScheduleSettings {
  /** In seconds, of what is left of the delivery's window. */
  schedule: number[];
  /** Each wait is random between this share less and this share more of it: 0 (none) to 1. */
  jitter?: number;
}

export const endpointDefaults = {
  method: 'POST',
  headers: {},
  pass_headers: [],
  ed25519: false,
  timeout_ms: 5_000,
  max_in_flight: 10,
  ordered: false,
  retry: { base_seconds: 5, cap_seconds: 12 * 3600, window_seconds: 72 * 3600 },
} as const;

export const scheduleDefaults = { jitter: 0 } as const;

/**
 * A change of an endpoint counts from this long after it, its `effective_at` (a trigger sets it: deploy/postgres/migrations), so that every process
 * knows the change by then.
 */
export const endpointSettlingMs = 2_000;
/** The longest from the time of a change, as a trigger writes it, until its commit is visible. */
export const endpointCommitMs = 1_000;

const day = 24 * 3600;
const maxDays = 14;

/** How long an endpoint may have deliveries retried: below what payloads are kept for, by the day that may pass before one is created. */
export const longestWindowSeconds = (payloadRetentionDays: number): number =>
  Math.min(maxDays, payloadRetentionDays - 1) * day;

/** The latest deadline that the pauses of an endpoint may move a delivery to, from its creation. */
export const longestLifeSeconds = (payloadRetentionDays: number): number => (payloadRetentionDays - 1) * day;

/** Settings of the processes that bound those of endpoints, and their defaults. */
export const usualEndpointLimits = {
  /** A delivery that is retried must find its payload. */
  payloadRetentionDays: 30,
  /** Lower limit of the waits that a retry may be given. */
  minRetrySeconds: 1,
};

/** Payloads are kept for at least so long, so that the default window is allowed. */
export const shortestPayloadRetentionDays = Math.ceil(endpointDefaults.retry.window_seconds / day) + 1;
