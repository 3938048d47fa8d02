import type { EventTypeSummary } from '#lib/contract';
import { html, type Html } from '#lib/html';
import type { TypeLinks } from '../../catalog/type-links.ts';
import { time } from '../../parts/time.ts';

/** Above the text of a type, which stays as it is. @param successor the name that it has today, if it is in the catalog */
export const banners = (
  { paused, deprecation }: EventTypeSummary,
  successor: string | undefined,
  to: TypeLinks,
): Html =>
  html`${
    paused &&
    html`<aside class="note note-warn banner" aria-label="Paused"><p><strong>Paused</strong> since ${time(paused.since)}: it is not sent for the time being. ${paused.reason}</p>${paused.until !== null && html`<p>Until ${time(paused.until)}.</p>`}</aside>`
  }${
    deprecation &&
    html`<aside class="note note-warn banner" aria-label="Deprecated"><p><strong>Deprecated</strong> since ${time(deprecation.since)}. ${deprecation.reason}</p>${deprecation.sunset_at !== null && html`<p>It ends at ${time(deprecation.sunset_at)}.</p>`}${deprecation.successor !== null && html`<p>Use ${successor === undefined ? html`<code>${deprecation.successor}</code>` : html`<a href="${to.type(successor)}"><code>${successor}</code></a>`} instead.</p>`}</aside>`
  }`;
