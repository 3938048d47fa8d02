import type { EventTypeSummary } from '#lib/api-contract';
import { isWrittenLikeTypeName, typeLinkPattern } from '#lib/contract';
import { type Html, html, type HtmlValue } from '#lib/html';
import type { TenantNames } from '../api-calls/tenant-names.ts';
import { usualTenant } from '../reader.ts';
import type { Option } from './form.ts';
import type { TypeLinks } from './type-links.ts';

/** 1204 as `1,204`; above what is counted as `10,000+`. */
export const count = (value: number, isCapped = false): string => `${value.toLocaleString('en')}${isCapped ? '+' : ''}`;

/** `1 dead letter`, `1,204 dead letters`. */
export const plural = (n: number, one: string, several = `${one}s`): string => `${count(n)} ${n === 1 ? one : several}`;

/** A code of the API as words: `retries_exhausted` as `retries exhausted`. */
export const inWords = (code: string): string => code.replaceAll('_', ' ');

/** The end of an id tells it from its neighbours: its beginning is the time. */
const shownCharacters = 8;

/** An id in a list: its kind and its end, the whole of it in the title. */
export function shortId(id: string): Html {
  const [, prefix, rest] = /^([a-z]+_)([0-9a-z]+)$/.exec(id) ?? [];
  const isShort = prefix === undefined || rest === undefined || rest.length <= shownCharacters + 2;
  return html`<code class="id" title="${id}">${isShort ? id : `${prefix}…${rest.slice(-shownCharacters)}`}</code>`;
}

/** A whole id, with a button that copies it. */
export const wholeId = (id: string): Html =>
  html`<code class="id">${id}</code> <copy-button data-text="${id}" data-label="Copy the id"></copy-button>`;

/** Behind what a URL or the name of a type may be broken, before it is broken anywhere. */
const breaksBehind = /(?<=[/._-])(?=[^/._-])/;

/** A name or URL in a narrow column. Whoever copies it gets the same text. */
export const breakable = (text: string): Html =>
  html`${text.split(breaksBehind).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`;

/** Paragraphs that a tenant has written, with links to other types: to the name that each has today. What is no page is text. */
export const typeText = (text: string, links: EventTypeSummary['links'], to: TypeLinks): Html =>
  html`${text
    .trim()
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => html`<p class="prose">${linked(paragraph, links, to)}</p>`)}`;

/** Every second part is the name within a link. */
const linked = (text: string, links: EventTypeSummary['links'], to: TypeLinks): Html =>
  html`${text.split(typeLinkPattern).map((part, index) => (index % 2 === 0 ? part : linkOf(part, links, to)))}`;

function linkOf(name: string, links: EventTypeSummary['links'], to: TypeLinks): Html {
  const link = Object.hasOwn(links, name) ? links[name] : undefined;
  if (link === undefined) return isWrittenLikeTypeName(name) ? html`<code>${name}</code>` : html`[[${name}]]`;
  if (link.target === null || link.status === 'retired') return html`<code>${name}</code> (retired)`;
  if (!to.shows(link.visibility)) return html`<code>${name}</code>`;
  return html`<a href="${to.type(link.target)}"><code>${link.target}</code></a>`;
}

/** Facts of one thing: what each is called, and its value. Absent ones are left out. */
export const definitions = (
  facts: readonly (readonly [term: HtmlValue, value: HtmlValue] | undefined | false)[],
): Html =>
  html`<dl class="facts">${facts.map((fact) => fact && html`<div><dt>${fact[0]}</dt><dd>${isEmpty(fact[1]) ? '–' : fact[1]}</dd></div>`)}</dl>`;

const isEmpty = (value: HtmlValue): boolean => value === null || value === undefined || value === '' || value === false;

/** A text as one word of a shell, whatever it holds. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A command with an option on each line. */
export const shellLines = (lines: readonly string[]): string => lines.join(' \\\n  ');

/** A command or other text that is copied as a whole. */
export const codeBlock = (text: string): Html =>
  html`<div class="code-block"><pre class="code" tabindex="0">${text}</pre><copy-button data-text="${text}" data-label="Copy"></copy-button></div>`;

/** A command as it is entered in a checkout. It needs no `--tenant` for the tenant that commands have by default. */
export const cliCommand = (words: string, tenant = usualTenant): string =>
  `./hookline ${words}${tenant === usualTenant ? '' : ` --tenant ${tenant}`}`;

/** Sources that Hookline has itself: there is nothing to look at. */
const builtIn: Readonly<Record<string, string>> = { api: 'API', hookline: 'Hookline' };

/** The names of what has ids, and where its pages are. */
export interface Naming {
  t: string;
  names: TenantNames;
}

/** An endpoint by its URL, with a link; the id as text if it was deleted. */
export const endpointName = (id: string | null, { t, names: { endpoints } }: Naming): Html =>
  linkByName(
    id,
    `${t}/endpoints`,
    endpoints,
    (url) => html`<bdi class="url" title="${url}">${breakable(withoutScheme(url))}</bdi>`,
  );

/** A source by its name, with a link; the id as text if it was deleted. */
export const sourceName = (id: string | null, { t, names: { sources } }: Naming): Html =>
  id !== null && Object.hasOwn(builtIn, id)
    ? html`${builtIn[id]}`
    : linkByName(id, `${t}/sources`, sources, (name) => html`<bdi>${name}</bdi>`);

function linkByName(
  id: string | null,
  list: string,
  { names, isComplete }: TenantNames['endpoints' | 'sources'],
  shown: (name: string) => Html,
): Html {
  if (id === null) return html`–`;
  const name = names.get(id);
  if (name === undefined && isComplete) return html`${shortId(id)} (deleted)`;
  return html`<a href="${list}/${encodeURIComponent(id)}">${name === undefined ? shortId(id) : shown(name)}</a>`;
}

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

/** Endpoints to choose from. The one that is asked for is among them, also if it was deleted. */
export const endpointOptions = ({ endpoints }: TenantNames, asked: string | null): readonly Option[] =>
  optionsOf(endpoints.names, asked);

/** Sources to choose from, likewise. */
export const sourceOptions = ({ sources }: TenantNames, asked: string | null): readonly Option[] =>
  optionsOf(new Map([...sources.names, ...Object.entries(builtIn)]), asked);

function optionsOf(names: ReadonlyMap<string, string>, asked: string | null): readonly Option[] {
  const options = [...names].map(([value, label]) => ({ value, label }));
  return asked === null || names.has(asked) ? options : [...options, { value: asked, label: asked }];
}

/** Items of a sentence, with commas between them. */
export const joined = (items: readonly HtmlValue[]): Html =>
  html`${items.map((item, index) => html`${index > 0 && ', '}${item}`)}`;
