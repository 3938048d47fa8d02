import { html, type Html } from '#lib/html';
import { shortId } from '../../parts/short-id.ts';

export interface Source {
  id: string;
  name: string;
  /** Where its provider sends to. */
  ingest_url: string;
}

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
