import { html, type Html } from '#lib/html';
import type { ReadApi } from '../../api-calls/console-api.ts';
import { path, withQuery } from '../../api-calls/paths.ts';
import { page } from '../../page-result.ts';
import { type TenantContext, tenantPage } from '../../page.ts';
import { providerCard } from '../../pages/sources/provider-card.ts';
import { rejectionColumns } from '../../pages/sources/rejection-table.ts';
import { schemeSetups } from '../../pages/sources/scheme-setup.ts';
import { settingsCard } from '../../pages/sources/settings-card.ts';
import { sourceNotes } from '../../pages/sources/source-notes.ts';
import { count } from '../../parts/count.ts';
import { wholeId } from '../../parts/short-id.ts';
import { table } from '../../parts/table.ts';
import { type DayCounts, dayCounts } from './day-counts.ts';
import type { Rejection, Source } from './source.ts';

const shownRejections = 5;

/** `T/sources/:id`: what to enter at the provider, what has come, what was rejected. */
export const source = tenantPage({
  path: '/sources/:id',
  title: 'Source',
  section: 'sources',
  get: {
    async answer(context) {
      const { api, params, t, can } = context;
      const [source, counts] = await Promise.all([
        api.get<Source>(path`/sources/${params.id}`),
        dayCounts(api, params.id),
      ]);
      const at = withQuery(path`/sources/${params.id}/rejections`, { limit: shownRejections });
      const changedId = source.identified_by.with === null ? await findChanged(api, source.id) : null;
      const rejected = await api.get<readonly Rejection[]>(at);
      const href = `${t}/sources/${source.id}`;
      return page({
        title: source.name,
        heading: html`<bdi>${source.name}</bdi>`,
        subtitle: html`${schemeSetups[source.scheme].provider} · ${wholeId(source.id)}`,
        crumbs: [{ label: 'Sources', href: `${t}/sources` }],
        actions: actions(context, href),
        body: html`${sourceNotes(source, { t, changedId })}${providerCard(source, can('write') ? `${href}/rotate` : undefined)}
<section class="card"><h2>Last 24 hours</h2>${figures(counts, { t, id: source.id })}</section>
${newestRejections(rejected, href)}
${settingsCard(source)}`,
      });
    },
  },
});

/** Null also where it can't be told now: the page is of use without it. */
async function findChanged(api: ReadApi, id: string): Promise<string | null> {
  const query = { source_id: id, has: 'changed', order: 'desc', limit: 2 };
  const found = await api.ask<readonly { event_id: string | null }[]>(withQuery('/events', query));
  return found.ok ? (found.value[0]?.event_id ?? null) : null;
}

const actions = ({ can }: TenantContext, href: string): Html =>
  html`${can('write') && html`<a class="button" href="${href}/sample">Send a sample</a>`}<a class="button" href="${href}/verify">Verify a webhook</a>${
    can('write') &&
    html`<a class="button" href="${href}/rotate">Rotate secret</a><a class="button" href="${href}/edit">Edit</a><a class="button danger" href="${href}/delete">Delete …</a>`
  }`;

function figures(counts: DayCounts | undefined, { t, id }: { t: string; id: string }): Html {
  if (counts === undefined) return html`<p>The counts are unavailable at the moment. Reload the page to try again.</p>`;
  const { received, duplicates, rejected } = counts;
  const events = withQuery(`${t}/events`, { source_id: id });
  return html`<dl class="figures">
${figure('Received', received, received > 0 && events)}${figure('Duplicates', duplicates, duplicates > 0 && `${events}&has=duplicates`)}${figure('Rejected', rejected, rejected > 0 && `${t}/sources/${id}/rejections`)}
</dl>`;
}

const figure = (label: string, value: number, href: string | false): Html =>
  html`<div><dt>${label}</dt><dd>${href === false ? count(value) : html`<a href="${href}">${count(value)}</a>`}</dd></div>`;

const newestRejections = (rejected: readonly Rejection[], href: string): Html =>
  rejected.length === 0
    ? html`<section class="card"><h2>Rejected lately</h2><p>None.</p></section>`
    : html`<h2>Rejected lately</h2>${table({
        caption: 'Rejected lately',
        rows: rejected,
        href: ({ id }) => `${href}/rejections/${id}`,
        columns: rejectionColumns,
      })}<p><a href="${href}/rejections">See all that are kept</a></p>`;
