/**
 * Every table and column with rows of tenants, and what erasure does to it: the one list that erasing goes by. A test compares it with the
 * catalog of a migrated database, so that a column which nobody has thought of is found.
 *
 * | erasing an event | means                                                                                 |
 * |------------------|---------------------------------------------------------------------------------------|
 * | `removed`        | the row goes                                                                          |
 * | `emptied`        | the column gets this value (SQL)                                                      |
 * | `searched`       | goes, or is emptied, where its content names the event (services/api/erasing)        |
 * | `kept`           | ids, times, counts and hashes of ours, or nothing of an event                         |
 *
 * | deleting a tenant | means                                                                                |
 * |-------------------|--------------------------------------------------------------------------------------|
 * | `removed`         | all rows go, page by page                                                            |
 * | `buried`          | the row is emptied by this assignment; the tombstone goes with the tenant's          |
 * | `last`            | goes with the tenant's own tombstone, when Kafka has nothing of it any more          |
 */
import { isOpen } from '#lib/event-store';

type Deletion = 'removed' | 'last' | { buried: string };

export interface TenantTable {
  removed?: readonly string[];
  emptied?: Readonly<Record<string, string>>;
  searched?: readonly string[];
  kept?: readonly string[];
  deletion: Deletion;
}

const tables = {
  events: {
    emptied: {
      source_id: "''",
      event_id: 'NULL',
      type: "''",
      receipt_id: "''",
      origin: "''",
      dedup_key: "''",
      status: "'erased'",
      duplicates: '0',
      duplicates_changed: '0',
      generation: 'NULL',
      counted: 'false',
      pending: '0',
      retrying: '0',
      delivered: '0',
      dead_lettered: '0',
      cancelled: '0',
      ordering_key: 'NULL',
      traceparent: "''",
      tags: 'NULL',
    },
    kept: ['tenant', 'id', 'received_at', 'updated_at'],
    deletion: 'removed',
  },
  event_payloads: {
    removed: ['tenant', 'event_id', 'received_at', 'content_type', 'content_encoding', 'body', 'request'],
    deletion: 'removed',
  },
  // With the mark: what they are found by is emptied then.
  event_tags: { removed: ['tenant', 'tag', 'event_id'], deletion: 'removed' },
  receipts: {
    removed: [
      ...['tenant', 'origin', 'receipt_id', 'event_id', 'duplicate', 'settled', 'changed', 'event_hint', 'dedup_key'],
      ...['body_hash', 'received_at', 'client_address'],
    ],
    deletion: 'removed',
  },
  outbox: {
    removed: ['tenant', 'event_id', 'ordering_key', 'sequence', 'created_at', 'claimed_until'],
    deletion: 'removed',
  },
  deliveries: {
    emptied: {
      status: `CASE WHEN ${isOpen('status')} THEN 'cancelled' ELSE status END`,
      next_attempt_at: 'NULL',
      detail: `CASE WHEN ${isOpen('status')} THEN 'event_erased' END`,
      last_detail: 'NULL',
      cancel_requested: 'false',
      updated_at: `CASE WHEN ${isOpen('status')} THEN clock_timestamp() ELSE updated_at END`,
    },
    kept: [
      'tenant',
      'id',
      'event_id',
      'endpoint_id',
      'generation',
      'step',
      'attempts',
      'created_at',
      'last_outcome',
      'last_http_status',
    ],
    deletion: 'removed',
  },
  attempts: {
    removed: [
      ...['tenant', 'delivery_id', 'step', 'attempt', 'at', 'delivery_at', 'outcome', 'http_status', 'duration_ms'],
      ...['detail', 'response_excerpt', 'request', 'response_headers', 'dns_ms', 'connect_ms', 'tls_ms'],
      ...['first_byte_ms', 'body_ms', 'event_id'],
    ],
    deletion: 'removed',
  },
  waiting: {
    // Rows of ordered endpoints are ended by their owner, so that the next of their key has its turn.
    removed: [
      ...['tenant', 'delivery_id', 'partition', 'endpoint_id', 'event_id', 'generation', 'state', 'due_at', 'step'],
      ...['attempts', 'created_at', 'ordering_key', 'sequence', 'not_before'],
    ],
    deletion: 'removed',
  },
  dead_letters: {
    removed: [
      ...['tenant', 'id', 'origin', 'generation', 'stage', 'reason', 'attempts', 'event_id', 'delivery_id'],
      ...['endpoint_id', 'source_id', 'event_type', 'letter_partition', 'letter_offset', 'at', 'key', 'headers'],
      ...['value', 'status', 'replay_id', 'replayed_at', 'kept_value', 'original_bytes', 'original_sha256'],
    ],
    deletion: 'removed',
  },
  // The selection is there as long as items are chosen by it.
  replays: {
    searched: ['request'],
    kept: [
      ...['tenant', 'id', 'rate_per_second', 'status', 'matched', 'replayed', 'failed', 'capped', 'created_at'],
      ...['ended_at', 'lease_owner', 'lease_until', 'turn_at', 'operation', 'selection', 'choosing', 'chosen_to'],
      ...['chosen', 'left_out', 'choosing_until', 'next_turn_at', 'sent_at', 'followed', 'delivered'],
      ...['cancelled', 'look_at', 'dead_lettered', 'looked_to'],
    ],
    deletion: 'removed',
  },
  idempotency_keys: {
    searched: ['response'],
    kept: ['tenant', 'credential', 'key_hash', 'request_hash', 'token', 'locked_until', 'expires_at'],
    deletion: 'removed',
  },
  // An item without its event fails when its turn comes.
  replay_items: {
    kept: [
      'tenant',
      'replay_id',
      'item',
      'letter_id',
      'event_id',
      'endpoint_id',
      'generation',
      'status',
      'reason',
      'delivery_id',
      'outcome',
    ],
    deletion: 'removed',
  },
  // So that the key is remembered until its time; the hash of the body has 64 bits.
  dedup_keys: {
    kept: ['tenant', 'key', 'origin', 'event_id', 'body_hash', 'generation', 'expires_at'],
    deletion: 'removed',
  },
  fan_outs: { kept: ['tenant', 'event_id', 'generation'], deletion: 'removed' },
  fan_out_chunks: { kept: ['tenant', 'event_id', 'generation', 'try', 'chunk', 'chunks'], deletion: 'removed' },
  replay_generations: { kept: ['tenant', 'event_id', 'generation'], deletion: 'removed' },
  // An event that is erased stays counted, by the names of its source and type.
  stats: {
    kept: [
      ...['tenant', 'dimension', 'step', 'key', 'at', 'received', 'duplicates', 'rejected', 'delivered', 'failed'],
      'dead_lettered',
    ],
    deletion: 'removed',
  },
  stat_types: { kept: ['tenant', 'day', 'type'], deletion: 'removed' },
  early_stats: {
    removed: ['tenant', 'event_id', 'n', 'endpoint_id', 'outcome', 'at', 'delivered', 'failed', 'dead_lettered'],
    deletion: 'removed',
  },
  // Webhooks that became no event.
  rejections: {
    kept: ['tenant', 'source_id', 'id', 'at', 'code', 'client_address', 'headers', 'body_bytes', 'body'],
    deletion: 'removed',
  },
  disablings: {
    kept: ['tenant', 'endpoint_id', 'disabled_at', 'revision', 'url', 'reason', 'failing_since', 'claimed_until'],
    deletion: 'removed',
  },
  // Facts of endpoints, sources and limits.
  announcements: {
    kept: ['tenant', 'type', 'subject', 'episode', 'facts', 'due_at', 'claimed_until'],
    deletion: 'removed',
  },
  endpoint_breakers: { kept: ['tenant', 'endpoint_id', 'state', 'since', 'observed_at'], deletion: 'removed' },
  unjudged_filters: { kept: ['tenant', 'endpoint_id', 'reason', 'at'], deletion: 'removed' },
  // Filters, tags and payloads are digests in it: services/api/audit/conceal.ts.
  audit: {
    kept: [
      ...['tenant', 'id', 'at', 'credential', 'session_id', 'action', 'resource_id', 'before', 'after', 'request_id'],
    ],
    deletion: 'removed',
  },
  sessions: {
    kept: [
      ...['tenant', 'id', 'key_id', 'operator_key', 'scopes', 'hash', 'code_hash', 'code_expires_at', 'created_at'],
      ...['expires_at', 'idle_expires_at', 'deleted_at', 'changed_at', 'changed_in', 'buried', 'portal'],
    ],
    deletion: 'removed',
  },
  portal_links: {
    kept: [
      ...['tenant', 'id', 'key_id', 'operator_key', 'capabilities', 'return_url', 'accent', 'code_hash', 'session_id'],
      ...['redeemed_at', 'created_at', 'expires_at', 'deleted_at'],
    ],
    deletion: 'removed',
  },
  // Examples are the tenant's own words, and kept until it is deleted.
  event_types: {
    kept: [
      ...['tenant', 'id', 'visibility', 'category', 'description', 'notes', 'words', 'enforce', 'paused'],
      ...['deprecation', 'version', 'bytes', 'revision', 'created_at', 'changed_at', 'retired_at', 'merged_into'],
    ],
    deletion: 'removed',
  },
  event_type_names: { kept: ['tenant', 'name', 'type_id', 'kind', 'since', 'visibility'], deletion: 'removed' },
  event_type_versions: {
    kept: [
      ...['tenant', 'type_id', 'version', 'schema', 'example', 'example_generated', 'notes', 'compatibility'],
      ...['differences', 'published_at', 'fields', 'fields_truncated'],
    ],
    deletion: 'removed',
  },
  event_type_changes: {
    kept: ['tenant', 'id', 'n', 'at', 'type_id', 'change', 'name', 'facts'],
    deletion: 'removed',
  },
  retention_horizons: { kept: ['tenant', 'events_removed_to'], deletion: 'removed' },
  sources: {
    kept: [
      ...['tenant', 'id', 'name', 'scheme', 'settings', 'secrets', 'revision', 'created_at', 'changed_at'],
      ...['deleted_at', 'changed_in', 'buried', 'bytes', 'rejecting_since', 'dedup_rule'],
    ],
    deletion: { buried: `name = '', settings = '{}', secrets = '', rejecting_since = NULL` },
  },
  endpoints: {
    kept: [
      ...['tenant', 'id', 'url', 'description', 'event_types', 'source_ids', 'filter', 'history', 'settings'],
      ...['private', 'secrets', 'public_keys', 'revision', 'created_at', 'changed_at', 'disabled_at'],
      ...['disabled_reason', 'failing_since', 'deleted_at', 'changed_in', 'buried', 'bytes', 'history_bytes'],
      ...['history_revision', 'pauses', 'paused_until', 'expires_at', 'outage_since', 'url_by_portal'],
      ...['probe_asked_at', 'begins_at', 'effective_at'],
    ],
    deletion: {
      buried: `url = '', description = '', event_types = '{}', source_ids = '{}', filter = NULL, settings = '{}', private = NULL,
        secrets = '', public_keys = '[]', failing_since = NULL, outage_since = NULL, pauses = '[]', paused_until = NULL, expires_at = NULL, history = '[]', history_revision = history_revision + 1`,
    },
  },
  api_keys: {
    kept: [
      ...['tenant', 'id', 'name', 'scopes', 'hash', 'rate_limit', 'revision', 'created_at', 'changed_at'],
      ...['last_used_at', 'deleted_at', 'changed_in', 'buried', 'bytes'],
    ],
    deletion: { buried: `name = '', hash = '', rate_limit = NULL` },
  },
  tenants: {
    kept: ['tenant', 'id', 'name', 'limits', 'created_at', 'changed_at', 'changed_in', 'buried'],
    deletion: { buried: `name = '', limits = '{}'` },
  },
  tenant_resources: { kept: ['tenant', 'kind', 'live', 'bytes'], deletion: 'last' },
  tenant_clocks: { kept: ['tenant', 'last_at'], deletion: 'last' },
  erased: {
    kept: [...['tenant', 'id', 'erasure_id', 'dedup_key', 'names', 'removed', 'changed_at', 'changed_in', 'buried']],
    deletion: 'last',
  },
  // `filter` is null once the events are marked.
  erasures: {
    kept: [
      ...['tenant', 'id', 'kind', 'state', 'filter', 'filtered_by', 'event_id', 'as_of', 'marked_to', 'done_to'],
      ...[
        'marked_in',
        'settles_at',
        'events',
        'removed',
        'dropped',
        'kafka',
        'kept_until',
        'created_at',
        'completed_at',
      ],
      ...['lease_owner', 'lease_until'],
    ],
    deletion: 'last',
  },
} satisfies Record<string, TenantTable>;

export type TenantTableName = keyof typeof tables;
export const tenantTables: Readonly<Record<TenantTableName, TenantTable>> = tables;
export const tenantTableNames = Object.keys(tables) as TenantTableName[];

export const columnsOf = ({ removed = [], emptied = {}, searched = [], kept = [] }: TenantTable): string[] => [
  ...removed,
  ...Object.keys(emptied),
  ...searched,
  ...kept,
];

/** `a = 1, b = NULL`: empties what an event has in its row of the table. */
export const emptying = (table: TenantTableName): string =>
  Object.entries(tenantTables[table].emptied ?? {})
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ');

/** Empties a row that is left as a tombstone. */
export function burying(table: 'sources' | 'endpoints' | 'api_keys'): string {
  return tables[table].deletion.buried;
}
