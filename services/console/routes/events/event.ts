import type { DeliveryCount } from '#lib/contract';

/** Events of the API and what explains them: the fields that pages show. */
export interface LiveEvent {
  id: string;
  type: string;
  /** `api`: published through the API; `hookline`: events about Hookline itself. */
  source_id: string;
  event_id: string | null;
  receipt_id: string;
  status: 'received' | 'processing' | 'completed' | 'dead_lettered';
  received_at: string;
  updated_at: string;
  duplicates: number;
  duplicates_changed: number;
  tags: Readonly<Record<string, string>>;
  deliveries: Readonly<Record<DeliveryCount, number>>;
}

/** By its id. */
export interface WholeEvent extends LiveEvent {
  ordering_key: string | null;
  trace_id: string | null;
}

/** All that is left of an event that was erased. */
export interface ErasedEvent {
  id: string;
  status: 'erased';
  received_at: string;
  updated_at: string;
}

export type Event = LiveEvent | ErasedEvent;

export interface Delivery {
  id: string;
  endpoint_id: string;
  /** 0, then one more per replay. */
  generation: number;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  detail: string | null;
  last_outcome: string | null;
  last_http_status: number | null;
  created_at: string;
  updated_at: string;
}

export interface Receipt {
  id: string;
  received_at: string;
  client_address: string | null;
  kind: 'first' | 'duplicate';
  same_bytes: boolean;
}

export interface EventRequest {
  method: string | null;
  path: string | null;
  client_address: string | null;
  headers: readonly { name: string; value: string }[] | null;
  truncated: boolean;
}

/** Whether an endpoint got an event, or the first reason why not. */
export interface EventMatch {
  endpoint_id: string;
  /** Null for an endpoint that is deleted. */
  url: string | null;
  matched: boolean | null;
  reason: string | null;
  unjudged: 'payload' | 'filter_steps' | 'event_steps' | null;
  expected: readonly string[] | null;
  clause: { pointer: string; path: string | null; operator: string; expected: unknown } | null;
  delivery_id: string | null;
  created_at: string;
  disabled_at: string | null;
  deleted_at: string | null;
}

export interface Erasure {
  id: string;
  status: 'running' | 'completed';
  as_of: string;
  events: number;
  event_id: string | null;
  filtered_by: readonly string[];
  removed: Readonly<Record<string, number>>;
  kafka: readonly { topic: string; kept_until: string | null }[] | null;
  kept_until: string | null;
  created_at: string;
  completed_at: string | null;
}

export const isErased = (event: Pick<Event, 'status'>): event is ErasedEvent => event.status === 'erased';
