/** What the api writes into the `settings` and `secrets` columns, and ingress and dispatcher read. Absent means the default below. */

/** A column `secrets` is a JSON list of these, sealed (libs/secret-box) for the context that `secretsContext` gives. */
export interface StoredSecret {
  secret: string;
  /** Set on the one that a rotation replaces: RFC 3339, valid until then. */
  expires_at?: string;
}

export const secretsContext = (table: 'sources' | 'endpoints', tenant: string, id: string): string =>
  `${table}/${tenant}/${id}`;

export const sourceSchemes = ['hookline', 'github'] as const;
export type SourceScheme = (typeof sourceSchemes)[number];

export interface SourceSettings {
  signature_header?: string;
  /** `header:Name` or JSON pointers, tried in order; the default is the scheme's own. */
  dedup_id?: string[];
  dedup_ttl_seconds?: number;
  event_type_from?: string[];
  timestamp_tolerance_seconds?: number;
  response_status?: 200 | 202 | 204;
}

export const sourceDefaults = {
  dedup_ttl_seconds: 72 * 3600,
  timestamp_tolerance_seconds: 300,
  response_status: 202,
} as const;

export interface EndpointSettings {
  timeout_ms?: number;
  max_in_flight?: number;
  retry?: RetrySettings;
}

/** `random(0, min(cap, base · 2^attempt))` until the window has passed since the delivery's creation, or the attempts are used up. */
export interface RetrySettings {
  base_seconds?: number;
  cap_seconds?: number;
  window_seconds?: number;
  max_attempts?: number;
}

export const endpointDefaults = {
  timeout_ms: 5_000,
  max_in_flight: 10,
  retry: { base_seconds: 5, cap_seconds: 12 * 3600, window_seconds: 72 * 3600 },
} as const;

/** An endpoint gets the events accepted at least this long after its creation, so that every process knows it by then. */
export const endpointSettlingMs = 5_000;

export const maxPayloadBytes = 1024 * 1024;
