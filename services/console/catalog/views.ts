import type { EventTypeChange, EventTypeSummary } from '#lib/api-contract';
import { headerText, typeLinkPattern, type VersionCompatibility } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { type Column, table } from '../ui/lists.ts';
import { indentedJson, jsonText } from '../ui/payload.ts';
import { brandMark, type Shell } from '../ui/shell.ts';
import { statusBadge } from '../ui/status.ts';
import { codeBlock, definitions, shellWord, typeText } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { catalogLinks, groupPath, type TypeLinks, typePath, versionPath } from '../ui/type-links.ts';
import type { TypeWithNewest, Version } from './catalog.ts';
import { shortText } from './search-types.ts';
import { languages } from './verify.ts';

/** Above the text of a type, which stays as it is. @param successor the name that it has today, if it is in the catalog */
const banners = ({ paused, deprecation }: EventTypeSummary, successor: string | undefined, to: TypeLinks): Html =>
  html`${
    paused &&
    html`<aside class="note note-warn banner" aria-label="Paused"><p><strong>Paused</strong> since ${time(paused.since)}: it is not sent for the time being. ${paused.reason}</p>${paused.until !== null && html`<p>Until ${time(paused.until)}.</p>`}</aside>`
  }${
    deprecation &&
    html`<aside class="note note-warn banner" aria-label="Deprecated"><p><strong>Deprecated</strong> since ${time(deprecation.since)}. ${deprecation.reason}</p>${deprecation.sunset_at !== null && html`<p>It ends at ${time(deprecation.sunset_at)}.</p>`}${deprecation.successor !== null && html`<p>Use ${successor === undefined ? html`<code>${deprecation.successor}</code>` : html`<a href="${to.type(successor)}"><code>${successor}</code></a>`} instead.</p>`}</aside>`
  }`;

/** Around pages of the catalog: they are the same for everyone. */
export const catalogHeader = ({ base, query }: Shell): Html =>
  html`<header class="top">
<a class="brand" href="${base}/catalog">${brandMark}<span>Event catalog</span></a>
<form class="search" role="search" action="${base}/catalog/search"><label class="visually-hidden" for="q">Search the event types</label><input id="q" type="search" name="q" value="${query}" placeholder="Search event types …" autocomplete="off" spellcheck="false" maxlength="200"></form>
</header>`;

export const catalogNavigation = ({ base, here }: Shell): Html => {
  const entry = (path: string, label: string): Html =>
    html`<li><a href="${base}${path}"${here === base + path && html` aria-current="page"`}>${label}</a></li>`;
  return html`<nav class="sections" aria-label="Sections">
<ul>${entry('/catalog', 'Event types')}${entry('/catalog/changes', 'Changes')}</ul>
<ul>${Object.entries(languages).map(([path, { name }]) => entry(`/catalog/verify/${path}`, `Verify in ${name}`))}</ul>
</nav>`;
};

/** @param live names that have a page now: only these are links */
export const changeList = (
  changes: readonly EventTypeChange[],
  { live, base }: { live: ReadonlySet<string>; base: string },
): Html =>
  html`<ol class="changes">${changes.map((change) => html`<li><p>${time(change.at)} ${sentence(change, live, base)}</p>${change.notes !== null && html`<p class="prose">${change.notes.replace(typeLinkPattern, '$1')}</p>`}</li>`)}</ol>`;

function sentence(change: EventTypeChange, live: ReadonlySet<string>, base: string): Html {
  const { name, target, version, from, into, compatibility } = change;
  const known = target !== null && live.has(target) ? target : undefined;
  const link = (href: string, text: string): Html => html`<a href="${base}${href}"><code>${text}</code></a>`;
  const own =
    known === undefined ? html`<code>${name}</code>${target === null && ' (retired)'}` : link(typePath(known), name);
  switch (change.change) {
    case 'created':
      return html`${own} was added.`;
    case 'version': {
      const label = html`version ${version}`;
      return html`${own} has ${known === undefined || version === null || known !== name ? label : html`<a href="${base}${versionPath(known, version)}">${label}</a>`}${compatibility === 'breaking' && ', which breaks receivers of the one before'}.`;
    }
    case 'described':
      return html`The texts of ${own} were changed.`;
    case 'renamed':
      return from === null ? html`${own} has this name now.` : html`<code>${from}</code> is called ${own} now.`;
    case 'merged':
      return html`<code>${name}</code> was merged into ${known === undefined ? (into === null ? 'another' : html`<code>${into}</code>`) : link(typePath(known), known)}.`;
    case 'paused':
      return html`${own} was paused.`;
    case 'resumed':
      return html`${own} is sent again.`;
    case 'deprecated':
      return html`${own} was deprecated.`;
    case 'undeprecated':
      return html`${own} is not deprecated any more.`;
    case 'retired':
      return html`<code>${name}</code> was retired.`;
  }
}

export const typeColumns: readonly Column<EventTypeSummary>[] = [
  { header: 'Type', cell: ({ name }) => html`<code>${name}</code>` },
  { header: 'Description', cell: ({ description }) => shortText(description) },
  { header: 'Category', cell: ({ category }) => category ?? '–' },
  { header: 'Status', cell: ({ status }) => statusBadge(status) },
  { header: 'Version', cell: ({ version }) => version, isNumber: true },
];

/** Types as a list, each with the beginning of its description. */
export const typeTable = (caption: string, types: readonly EventTypeSummary[], to: TypeLinks): Html =>
  table({ caption, columns: typeColumns, rows: types, href: ({ name }) => to.type(name) });

/** The tenant's own words in such a list. */
export const wordsOfTable = (types: readonly EventTypeSummary[]): readonly string[] =>
  types.map(({ description }) => shortText(description));

interface TypePage {
  type: TypeWithNewest;
  /** The name of its successor today, if that is in the catalog. */
  successor: string | undefined;
  base: string;
  origin: string;
}

/** Older ones are at their addresses all the same. */
const mostVersions = 50;

/** A type in the catalog. */
export function typePage({ type, successor, base, origin }: TypePage): Html {
  const { groups, newest, aliases } = type;
  return typeView({
    type,
    successor,
    to: catalogLinks(base),
    groups: groups.map((group) => html`<a href="${base}${groupPath(group)}">${group}.*</a> `),
    // Text: their addresses lead here.
    otherNames: aliases.map((alias) => html`<code>${alias.name}</code> (${alias.kind}) `),
    beforeVersions: newest && forPrograms(type.name, newest, { base, origin }),
  });
}

function forPrograms(name: string, { example }: Version, { base, origin }: Pick<TypePage, 'base' | 'origin'>): Html {
  const at = (file: string): string => `${base}${typePath(name, `/${file}`)}`;
  const address = shellWord(origin + at('example.json'));
  return html`<section class="card"><h2>For programs</h2><ul class="links"><li><a href="${at('schema.json')}">schema.json</a></li>${example !== null && html`<li><a href="${at('example.json')}">example.json</a></li>`}</ul>
${
  example !== null &&
  html`<p>Send the example to a receiver of yours:</p>
${codeBlock(`curl -s ${address} |\n  curl -H 'content-type: application/json' -H ${shellWord(`Hookline-Event-Type: ${headerText(name)}`)} --data-binary @- http://127.0.0.1:3000/webhooks`)}`
}</section>
`;
}

interface TypeView extends Pick<TypePage, 'type' | 'successor'> {
  to: TypeLinks;
  groups?: readonly Html[];
  otherNames?: readonly Html[];
  beforeVersions?: Html | null;
}

/** A type: what stays the same while it is paused is outside of the banner. */
export function typeView({ type, successor, to, groups = [], otherNames = [], beforeVersions }: TypeView): Html {
  const { name, description, notes, links, newest, category } = type;
  return html`${banners(type, successor, to)}
${typeText(description, links, to)}
${definitions([
  ['Category', category ?? 'none'],
  groups.length > 0 && ['Groups', groups],
  newest !== null && ['Version', html`${newest.version}, published ${time(newest.published_at)}`],
  otherNames.length > 0 && ['Other names', otherNames],
])}
${notes !== '' && html`<section class="card"><h2>Notes</h2>${typeText(notes, links, to)}</section>`}
${
  newest === null
    ? html`<p class="muted">Its payload is not described.</p>`
    : html`${versionView(newest)}
${beforeVersions}<section class="card"><h2>Versions</h2>${newest.notes !== '' && typeText(newest.notes, links, to)}<ul>${numbersUpTo(newest.version).map((number) => html`<li><a href="${to.version(name, number)}">Version ${number}</a></li>`)}</ul></section>`
}`;
}

const numbersUpTo = (newest: number): readonly number[] =>
  Array.from({ length: Math.min(newest, mostVersions) }, (_, index) => newest - index);

/** The payload as a version describes it: its fields, its schema and an example, as they were written. */
function versionView(version: Version): Html {
  const { schemaText, exampleText, example, example_generated: isGenerated } = version;
  const fields = version.fields ?? [];
  return html`${
    fields.length > 0 &&
    html`<section class="card"><h2>Fields</h2>${version.fields_truncated && html`<p class="muted">The first ${fields.length}: the schema has more.</p>`}${table(
      {
        caption: 'Fields of the payload',
        columns: [
          { header: 'Field', cell: ({ path }) => html`<code>${path}</code>` },
          { header: 'Type', cell: ({ type }) => type },
          { header: 'Required', cell: ({ required }) => (required ? 'yes' : 'no') },
          { header: 'Description', cell: ({ description }) => description },
        ],
        rows: fields,
      },
    )}</section>`
  }
${
  example !== null &&
  html`<section class="card"><h2>Example</h2>${isGenerated && html`<p class="muted">Made from the schema.</p>`}${jsonText(indentedJson(exampleText))}</section>`
}
<section class="card"><h2>Schema</h2>${jsonText(indentedJson(schemaText))}</section>`;
}

const compatibilities: Readonly<Record<VersionCompatibility, string>> = {
  initial: 'the first version',
  compatible: 'yes',
  breaking: 'no: receivers have to be changed',
};

/** A version of a type, and what it changed. */
export function versionPage(type: EventTypeSummary, version: Version, to: TypeLinks): Html {
  const { differences, compatibility, notes, published_at: publishedAt } = version;
  return html`<p>${version.version === type.version ? 'The newest version' : 'An older version'} of <a href="${to.type(type.name)}"><code>${type.name}</code></a>.</p>
${definitions([
  ['Published', time(publishedAt)],
  ['Compatible with the one before', compatibilities[compatibility]],
])}
${notes !== '' && typeText(notes, type.links, to)}
${
  differences.length > 0 &&
  html`<section class="card"><h2>Changes</h2>${table({
    caption: 'Differences from the version before',
    columns: [
      { header: 'Field', cell: ({ field }) => (field === '' ? 'the payload' : html`<code>${field}</code>`) },
      { header: 'Change', cell: ({ change }) => (change === 'unlisted' ? 'there may be more' : change) },
      { header: 'Breaking', cell: ({ breaking }) => (breaking ? 'yes' : 'no') },
    ],
    rows: differences,
  })}</section>`
}
${versionView(version)}`;
}
