import { type EventTypeChangeView, typeLinkPattern } from '#lib/contract';
import { html, type Html } from '#lib/html';
import { typePath, versionPath } from '../../catalog/addresses.ts';
import { time } from '../../parts/time.ts';

/** @param live names that have a page now: only these are links */
export const changeList = (
  changes: readonly EventTypeChangeView[],
  { live, base }: { live: ReadonlySet<string>; base: string },
): Html =>
  html`<ol class="changes">${changes.map((change) => html`<li><p>${time(change.at)} ${sentence(change, live, base)}</p>${change.notes !== null && html`<p class="prose">${change.notes.replace(typeLinkPattern, '$1')}</p>`}</li>`)}</ol>`;

function sentence(change: EventTypeChangeView, live: ReadonlySet<string>, base: string): Html {
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
