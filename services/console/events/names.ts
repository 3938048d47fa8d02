import type { Delivery, Event, Source as ListedSource } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { crumbsTo } from '../sections.ts';
import { breakable, inWords, shortId } from '../ui/text.ts';

/** The page of an event. @param t the path of the tenant's pages */
export const eventHref =
  (t: string) =>
  ({ id }: Pick<Event, 'id'>): string =>
    `${t}/events/${encodeURIComponent(id)}`;

/** The way back to an event. */
export const eventCrumbs = (t: string, { id }: Pick<Event, 'id'>) =>
  crumbsTo(t, 'events', { label: id, href: eventHref(t)({ id }) });

/** Answers of receivers that refused, by the ids of their deliveries. */
export type Answers = ReadonlyMap<string, string>;

const outcomes: Readonly<Record<string, string>> = {
  blocked: 'the address is not allowed',
  connect: 'no connection',
  timeout: 'no answer in time',
  tls: 'TLS failed',
};

/** The receiver's last answer. */
export function lastAnswer({ attempts, last_outcome: outcome, last_http_status: status }: Delivery): string {
  if (status !== null) return `answered ${status}`;
  if (outcome !== null) return outcomes[outcome] ?? inWords(outcome);
  return attempts === 0 ? 'not sent yet' : '–';
}

/** The text of its answer, where that is a reason. */
export function reasonGiven({ id }: Pick<Delivery, 'id'>, answers: Answers): Html | undefined {
  const said = answers.get(id);
  return said === undefined ? undefined : html`<code class="reason">${said}</code>`;
}

export const attemptCount = (attempts: number): string => (attempts === 1 ? '1 attempt' : `${attempts} attempts`);

/** Endpoints by their ids: what their owner calls them (empty: nothing), and their URLs. */
export type EndpointNames = ReadonlyMap<string, { description: string; url: string }>;

/** Its description, else its URL; of one that is deleted, the id. */
export function endpointName(id: string, endpoints: EndpointNames): Html {
  const endpoint = endpoints.get(id);
  if (endpoint === undefined) return shortId(id);
  return endpoint.description === '' ? shownUrl(endpoint.url) : html`<bdi>${endpoint.description}</bdi>`;
}

/** Its URL, if its name is another. */
export function urlBesideName(id: string, endpoints: EndpointNames): Html | undefined {
  const endpoint = endpoints.get(id);
  return endpoint === undefined || endpoint.description === '' ? undefined : shownUrl(endpoint.url);
}

/** The URL on a line of its own, for a table. */
export function urlBeneath(id: string, endpoints: EndpointNames): Html | undefined {
  const url = urlBesideName(id, endpoints);
  return url && html`<span class="beneath">${url}</span>`;
}

const shownUrl = (url: string): Html => html`<bdi class="url">${breakable(url.replace(/^https?:\/\//, ''))}</bdi>`;

/** A source, as far as events show it. */
export type Source = Pick<ListedSource, 'id' | 'name' | 'ingest_url'>;

/** These two have no source that could be looked at. */
export const builtIn: Readonly<Record<string, string>> = { api: 'API', hookline: 'Hookline' };

export function sourceName(id: string, sources: readonly Source[]): Html {
  const name = builtIn[id] ?? sources.find((source) => source.id === id)?.name;
  return name === undefined ? shortId(id) : html`<bdi>${name}</bdi>`;
}

export const sourceLink = (id: string, { t, sources }: { t: string; sources: readonly Source[] }): Html =>
  builtIn[id] === undefined
    ? html`<a href="${t}/sources/${encodeURIComponent(id)}">${sourceName(id, sources)}</a>`
    : sourceName(id, sources);

/** For a filter. The one that is asked for is always there, also if it was deleted. */
export function sourceOptions(
  sources: readonly Source[],
  asked: string | null,
): readonly { value: string; label: string }[] {
  const options = [
    ...sources.map(({ id, name }) => ({ value: id, label: name })),
    ...Object.entries(builtIn).map(([value, label]) => ({ value, label })),
  ];
  return asked === null || options.some(({ value }) => value === asked)
    ? options
    : [...options, { value: asked, label: asked }];
}
