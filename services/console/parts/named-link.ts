import { html, type Html } from '#lib/html';
import type { TenantNames } from '../api-calls/tenant-names.ts';
import { breakable } from './breakable.ts';
import { shortId } from './short-id.ts';

/** Sources that Hookline has itself: there is nothing to look at. */
const builtIn: Readonly<Record<string, string>> = { api: 'API', hookline: 'Hookline' };

interface Naming {
  t: string;
  names: TenantNames;
}

/** An endpoint by its URL, with a link; the id as text if it was deleted. */
export function endpointName(id: string | null, { t, names: { endpoints } }: Naming): Html {
  if (id === null) return html`–`;
  const url = endpoints.names.get(id);
  if (url !== undefined)
    return html`<a href="${t}/endpoints/${id}"><bdi class="url" title="${url}">${breakable(withoutScheme(url))}</bdi></a>`;
  return endpoints.isComplete
    ? html`${shortId(id)} (deleted)`
    : html`<a href="${t}/endpoints/${encodeURIComponent(id)}">${shortId(id)}</a>`;
}

/** A source by its name, with a link; the id as text if it was deleted. */
export function sourceName(id: string | null, { t, names: { sources } }: Naming): Html {
  if (id === null) return html`–`;
  const own = builtIn[id];
  if (own !== undefined) return html`${own}`;
  const name = sources.names.get(id);
  if (name !== undefined) return html`<a href="${t}/sources/${id}"><bdi>${name}</bdi></a>`;
  return sources.isComplete
    ? html`${shortId(id)} (deleted)`
    : html`<a href="${t}/sources/${encodeURIComponent(id)}">${shortId(id)}</a>`;
}

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

interface Option {
  value: string;
  label: string;
}

/** Endpoints to choose from. The one that is asked for is among them, also if it was deleted. */
export const endpointOptions = ({ endpoints }: TenantNames, asked: string | null): readonly Option[] =>
  withAsked(
    [...endpoints.names].map(([value, label]) => ({ value, label })),
    asked,
  );

/** Sources to choose from, likewise. */
export const sourceOptions = ({ sources }: TenantNames, asked: string | null): readonly Option[] =>
  withAsked(
    [...sources.names, ...Object.entries(builtIn)].map(([value, label]) => ({ value, label })),
    asked,
  );

const withAsked = (options: readonly Option[], asked: string | null): readonly Option[] =>
  asked === null || options.some(({ value }) => value === asked)
    ? options
    : [...options, { value: asked, label: asked }];
