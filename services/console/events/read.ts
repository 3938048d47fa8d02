import type { Delivery, Endpoint, ErasedEvent, Event } from '#lib/api-contract';
import { undefinedIfGone } from '../api-calls/calls.ts';
import type { ReadApi } from '../api-calls/console-api.ts';
import { endpointNames } from '../api-calls/tenant-names.ts';
import { readAttempt } from '../deliveries/index.ts';
import type { TenantContext } from '../page.ts';
import { builtIn, type EndpointNames, type Source } from './names.ts';

/** As lists have it. */
export type ListedEvent = Event | ErasedEvent;

export const isErased = (event: Pick<ListedEvent, 'status'>): event is ErasedEvent => event.status === 'erased';

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

type NamedEndpoint = Pick<Endpoint, 'id' | 'url'> & Partial<Pick<Endpoint, 'description'>>;

/** As many are called by their descriptions, others by their URLs. */
const maxNamed = 200;

/** The tenant's endpoints by their names. @param more those of which the caller knows the URL */
export async function namedEndpoints(api: ReadApi, more: readonly NamedEndpoint[] = []): Promise<EndpointNames> {
  const listed = await api.list('GET /v1/endpoints', { query: { limit: maxNamed } });
  const described = listed.ok ? listed.items : [];
  const byId = new Map([...more, ...described].map((endpoint) => [endpoint.id, endpoint]));
  const urls = endpointNames([...byId.values()].map(({ id, url }) => ({ id, url })));
  return new Map(
    [...byId.values()].map(({ id, url, description = '' }) => [id, { description, url: urls.get(id) ?? url }]),
  );
}

/** The tenant's sources, to be called by their names. */
export async function namedSources(api: ReadApi): Promise<readonly Source[]> {
  const listed = await api.list('GET /v1/sources', { query: { limit: maxNamed } });
  return listed.ok ? listed.items : [];
}

/** Rows that a script adds: their sources are asked for only if they have any. Undefined for customers. */
export async function sourcesOf(
  { api, isCustomer }: Pick<TenantContext, 'api' | 'isCustomer'>,
  events: readonly ListedEvent[],
): Promise<readonly Source[] | undefined> {
  if (isCustomer) return undefined;
  return events.some((event) => !isErased(event) && builtIn[event.source_id] === undefined) ? namedSources(api) : [];
}
