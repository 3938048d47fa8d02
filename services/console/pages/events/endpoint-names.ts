import { html, type Html } from '#lib/html';
import { breakable } from '../../parts/breakable.ts';
import { shortId } from '../../parts/short-id.ts';

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
