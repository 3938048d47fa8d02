import type { HmacSettings, SourceScheme } from '#lib/contract';
import type { ReadApi } from '../api-calls/console-api.ts';

/** A source of the API. */
export interface Source {
  id: string;
  name: string;
  scheme: SourceScheme;
  ingest_url: string;
  dedup_ttl_seconds: number;
  timestamp_tolerance_seconds: number;
  response_status: number;
  created_at: string;
  signature_header?: string;
  hmac?: HmacSettings;
  public_url?: string;
  dedup_id?: readonly (string | readonly string[])[];
  dedup: 'on' | 'off';
  identified_by: { places: readonly (string | readonly string[])[]; with: string | null };
  /** Settings that are probably not as they are meant. */
  advice: readonly string[];
  event_type_from?: readonly string[];
  ordering_key?: readonly string[];
  tags_from?: Readonly<Record<string, string>>;
  allowed_ips?: readonly string[];
  rate_limit?: { per_second: number; burst: number };
  client_certificate?: { required: boolean; fingerprints?: readonly string[] };
  verify_token_set?: boolean;
  keep_rejected_bodies?: boolean;
}

export interface SourceWithSecret extends Source {
  secret: string;
}

export interface Rejection {
  id: string;
  at: string;
  code: string;
  client_address: string;
  headers: Readonly<Record<string, unknown>>;
  body_bytes: number | null;
  body?: string;
  body_encoding?: 'utf-8' | 'base64';
  body_truncated?: boolean;
}

export interface Verification {
  verified: boolean;
  step: string | null;
  status: number;
  code: string | null;
  detail: string;
  challenge: boolean;
  not_checked: readonly string[];
}

export interface SampleWebhook {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  body_encoding: 'text' | 'base64';
  curl: string;
}

const wanted = ['received', 'duplicates', 'rejected'] as const;

export type DayCounts = Readonly<Record<(typeof wanted)[number], number>>;

/** The counts of a source's last 24 hours; undefined if they can’t be told now: the page is of use without them. */
export async function dayCounts(api: ReadApi, source: string): Promise<DayCounts | undefined> {
  const query = { series: wanted.join(','), by: 'source', step: '1h' } as const;
  const stats = await api.ask('GET /v1/stats', { query });
  if (!stats.ok) return undefined;
  const sum = (series: string): number =>
    stats.value.series
      .filter((one) => one.series === series && one.key === source)
      .flatMap(({ counts }) => counts)
      .reduce((all, { count }) => all + count, 0);
  return { received: sum('received'), duplicates: sum('duplicates'), rejected: sum('rejected') };
}
