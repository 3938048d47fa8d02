import type { Delivery } from '#lib/api-contract';
import type { DeliveryCount } from '#lib/contract';
import { undefinedIfGone, withQuery } from '../api-calls/calls.ts';
import type { ReadApi } from '../api-calls/console-api.ts';
import { endpointNames } from '../api-calls/tenant-names.ts';
import { readAttempt } from '../deliveries/index.ts';
import type { TenantContext } from '../page.ts';
import { builtIn, type EndpointNames, type Source } from './names.ts';

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

/** Each costs a request. The pages of other deliveries have their answers. */
const mostRead = 10;
/** A line or two: where a receiver says why it failed. */
const shownCharacters = 120;

/** Answers of receivers that refused, by the ids of their deliveries: the beginning of the last answer's body, on one line. */
export async function lastAnswers(api: ReadApi, deliveries: readonly Delivery[]): Promise<ReadonlyMap<string, string>> {
  const refused = deliveries.filter(
    ({ last_outcome: outcome, last_http_status: status }) => status !== null && outcome !== 'delivered',
  );
  const read = await Promise.all(
    refused.slice(0, mostRead).map(async ({ id, attempts }) => {
      const attempt = await undefinedIfGone(readAttempt(api, id, attempts));
      const isText = attempt?.response_excerpt_encoding === 'text';
      return [id, isText ? beginning(attempt.response_excerpt ?? '') : ''] as const;
    }),
  );
  return new Map(read.filter(([, said]) => said !== ''));
}

function beginning(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= shownCharacters ? line : `${line.slice(0, shownCharacters).toWellFormed()} …`;
}

interface NamedEndpoint {
  id: string;
  url: string;
  description?: string;
}

/** As many are called by their descriptions, others by their URLs. */
const maxNamed = 200;

/** The tenant's endpoints by their names. @param more those of which the caller knows the URL */
export async function namedEndpoints(api: ReadApi, more: readonly NamedEndpoint[] = []): Promise<EndpointNames> {
  const listed = await api.list<NamedEndpoint>(withQuery('/endpoints', { limit: maxNamed }));
  const described = listed.ok ? listed.items : [];
  const byId = new Map([...more, ...described].map((endpoint) => [endpoint.id, endpoint]));
  const urls = endpointNames([...byId.values()].map(({ id, url }) => ({ id, url })));
  return new Map(
    [...byId.values()].map(({ id, url, description = '' }) => [id, { description, url: urls.get(id) ?? url }]),
  );
}

/** The tenant's sources, to be called by their names. */
export async function namedSources(api: ReadApi): Promise<readonly Source[]> {
  const listed = await api.list<Source>(withQuery('/sources', { limit: maxNamed }));
  return listed.ok ? listed.items : [];
}

/** Rows that a script adds: their sources are asked for only if they have any. Undefined for customers. */
export async function sourcesOf(
  { api, isCustomer }: Pick<TenantContext, 'api' | 'isCustomer'>,
  events: readonly Event[],
): Promise<readonly Source[] | undefined> {
  if (isCustomer) return undefined;
  return events.some((event) => !isErased(event) && builtIn[event.source_id] === undefined) ? namedSources(api) : [];
}
