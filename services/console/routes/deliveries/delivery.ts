import type { Timing } from '../../parts/phase-bar.ts';

/** A delivery of the API: the fields that pages show. */
export interface Delivery {
  id: string;
  event_id: string;
  /** Null: the event was erased. */
  event_type: string | null;
  endpoint_id: string;
  generation: number;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  detail: string | null;
  last_outcome: string | null;
  last_http_status: number | null;
  last_detail: string | null;
  created_at: string;
  updated_at: string;
}

/** An attempt of the API. */
export interface Attempt {
  attempt: number;
  at: string;
  outcome: string;
  http_status: number | null;
  duration_ms: number | null;
  detail: string | null;
  /** Null: nothing was sent. */
  request: { method: string; url: string; headers: Readonly<Record<string, string>> } | null;
  response_headers: Readonly<Record<string, string>> | null;
  response_excerpt: string | null;
  response_excerpt_encoding: 'text' | 'base64';
  timing: Timing | null;
}

/** Whether it may still be sent. */
export const isOpen = ({ status }: Pick<Delivery, 'status'>): boolean =>
  status === 'pending' || status === 'retrying' || status === 'parked';
