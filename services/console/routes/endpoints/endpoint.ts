/** The form of `retry` that has a schedule excludes the others. */
export interface Retry {
  base_seconds?: number;
  cap_seconds?: number;
  window_seconds?: number;
  max_attempts?: number;
  schedule?: readonly number[];
  jitter?: number;
}

/** An endpoint of the API. */
export interface Endpoint {
  id: string;
  url: string;
  description: string;
  event_types: readonly string[];
  source_ids: readonly string[];
  filter: unknown;
  method: string;
  /** Sensitive values are masked. */
  headers: Readonly<Record<string, string>>;
  pass_headers: readonly string[];
  ed25519: boolean;
  public_keys: readonly string[];
  timeout_ms: number;
  max_in_flight: number;
  ordered: boolean;
  retry: Retry;
  rate_limit?: { per_second: number; burst: number };
  /** Its password is masked. */
  proxy?: string;
  client_certificate?: { certificate: string; expires_at: string; fingerprint: string };
  created_at: string;
  /** From when on its last change counts. */
  effective_at: string;
  disabled_at: string | null;
  disabled_reason: string | null;
  failing_since: string | null;
  paused_at: string | null;
  paused_until: string | null;
  filter_unjudged: { at: string; reason: string } | null;
}

export interface Success {
  attempts: number;
  delivered: number;
  ratio: number | null;
}

export interface LastSend {
  at: string;
  outcome: string | null;
  http_status: number | null;
  detail: string | null;
}

/** Failed attempts that came to the same. */
export interface AnswerGroup {
  outcome: string;
  http_status: number | null;
  attempts: number;
  first_at: string;
  last_at: string;
  /** The last one's, as are the next two. */
  detail: string | null;
  response_excerpt: string | null;
  delivery_id: string;
}

/** An unknown value is null. */
export interface EndpointHealth {
  breaker: { state: 'closed' | 'half_open' | 'open'; since: string | null } | null;
  disables_at: string | null;
  success: { hour: Success | null; day: Success | null };
  latency: { attempts: number; p50_ms: number | null; p95_ms: number | null };
  waiting: {
    retrying: number;
    parked: number;
    is_capped: boolean;
    oldest: string | null;
    drains_at: string | null;
  };
  last_success: LastSend | null;
  last_failure: LastSend | null;
  /** Not there: of an earlier version of the API. */
  failures?: readonly AnswerGroup[];
}

type State = Pick<Endpoint, 'disabled_at' | 'paused_at' | 'failing_since'>;

/** The most important part of its state, in one word. @param health where it is known: an open breaker is a failure before it counts as one */
export function endpointStatus(
  { disabled_at, paused_at, failing_since }: State,
  health?: Pick<EndpointHealth, 'breaker'>,
): string {
  if (disabled_at !== null) return 'disabled';
  if (paused_at !== null) return 'paused';
  const isHeldBack = health?.breaker?.state === 'open';
  return failing_since === null && !isHeldBack ? 'enabled' : 'failing';
}
