import { headerText } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { groupPath, typePath } from '../../catalog/addresses.ts';
import { catalogLinks } from '../../catalog/type-links.ts';
import type { TypeWithNewest } from '../../catalog/catalog.ts';
import { codeBlock } from '../../parts/code-block.ts';
import { definitions } from '../../parts/definitions.ts';
import { time } from '../../parts/time.ts';
import { typeText } from '../../parts/type-text.ts';
import { banners } from './banner.ts';
import { versionView } from './version-view.ts';

interface TypePage {
  type: TypeWithNewest;
  /** The name of its successor today, if that is in the catalog. */
  successor: string | undefined;
  base: string;
  origin: string;
}

/** Older ones are at their addresses all the same. */
const mostVersions = 50;

/** A type: what stays the same while it is paused is outside of the banner. */
export function typePage({ type, successor, base, origin }: TypePage): Html {
  const to = catalogLinks(base);
  const { name, description, notes, links, newest, category, groups, aliases } = type;
  return html`${banners(type, successor, to)}
${typeText(description, links, to)}
${definitions([
  ['Category', category ?? 'none'],
  groups.length > 0 && ['Groups', groups.map((group) => html`<a href="${base}${groupPath(group)}">${group}.*</a> `)],
  newest !== null && ['Version', html`${newest.version}, published ${time(newest.published_at)}`],
  // Text: their addresses lead here.
  aliases.length > 0 && ['Other names', aliases.map((alias) => html`<code>${alias.name}</code> (${alias.kind}) `)],
])}
${notes !== '' && html`<section class="card"><h2>Notes</h2>${typeText(notes, links, to)}</section>`}
${newest === null ? html`<p class="muted">Its payload is not described.</p>` : described(newest)}`;

  function described(version: NonNullable<typeof newest>): Html {
    const at = (file: string): string => `${base}${typePath(name, `/${file}`)}`;
    const example = shellWord(origin + at('example.json'));
    return html`${versionView(version)}
<section class="card"><h2>For programs</h2><ul class="links"><li><a href="${at('schema.json')}">schema.json</a></li>${version.example !== null && html`<li><a href="${at('example.json')}">example.json</a></li>`}</ul>
${
  version.example !== null &&
  html`<p>Send the example to a receiver of yours:</p>
${codeBlock(`curl -s ${example} |\n  curl -H 'content-type: application/json' -H ${shellWord(`Hookline-Event-Type: ${headerText(name)}`, true)} --data-binary @- http://127.0.0.1:3000/webhooks`)}`
}</section>
<section class="card"><h2>Versions</h2>${version.notes !== '' && typeText(version.notes, links, to)}<ul>${numbersUpTo(version.version).map((number) => html`<li><a href="${to.version(name, number)}">Version ${number}</a></li>`)}</ul></section>`;
  }
}

export const numbersUpTo = (newest: number): readonly number[] =>
  Array.from({ length: Math.min(newest, mostVersions) }, (_, index) => newest - index);

/** One word of a shell's command line: names may have quotes. */
const shellWord = (text: string, isQuoted = false): string =>
  isQuoted || !/^[\w%+,./:=@-]*$/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : text;
