import type { Rejection, Source } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import type { FieldError, ReadApi } from '../api-calls/console-api.ts';
import { formAgain } from '../after-change.ts';
import { page, type PageResult } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { crumbsTo } from '../sections.ts';
import { errorSummary, postForm } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import { type Filter, table } from '../ui/lists.ts';
import { cliCommand, count, shortId, wholeId } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { deleteSource, editSource, rotateSource } from './changes.ts';
import { readSourceForm, schemeChoice, sourceFields, sourceNotes, withoutNulls } from './form.ts';
import { type DayCounts, dayCounts, sourceOf } from './read.ts';
import { rejection, rejectionColumns, rejections } from './rejections.ts';
import { schemeNamed, schemeSetups } from './scheme-setup.ts';
import { createdSource, providerCard, settingsCard } from './views.ts';
import { sampleWebhook, verifyWebhook } from './webhooks.ts';

const filters: readonly Filter[] = [{ kind: 'text', name: 'q', label: 'Name', placeholder: 'contains …' }];

/** `T/sources`: where webhooks come from. */
const sources = tenantPage({
  path: '/sources',
  title: 'Sources',
  section: 'sources',
  get: {
    query: listParameters(filters),
    async answer(context) {
      const { t, tenant, api, query, can } = context;
      return listPage<Source>(context, {
        title: 'Sources',
        href: `${t}/sources`,
        listed: await api.list('GET /v1/sources', { query }),
        filters,
        actions: can('write') ? html`<a class="button primary" href="${t}/sources/new">New source</a>` : null,
        row: ({ id }) => `${t}/sources/${id}`,
        columns: [
          { header: 'Name', cell: ({ name }) => html`<bdi>${name}</bdi>` },
          { header: 'Provider', cell: ({ scheme }) => schemeSetups[scheme].provider },
          { header: 'Scheme', cell: ({ scheme }) => html`<code>${scheme}</code>` },
          { header: 'Created', cell: ({ created_at: createdAt }) => time(createdAt) },
          { header: 'Id', cell: ({ id }) => shortId(id) },
        ],
        empty: {
          title: 'No source yet',
          body: 'A source is a URL that a provider sends its webhooks to. It verifies their signatures, and makes an event of each.',
          command: cliCommand('sources create --name "Stripe live" --scheme stripe', tenant),
        },
      });
    },
  },
});

/** `T/sources/new`: first the scheme, then what it needs. */
const newSource = tenantPage({
  path: '/sources/new',
  title: 'New source',
  section: 'sources',
  get: { scope: 'write', query: ['scheme'], answer: (context) => show(context, new URLSearchParams()) },
  post: {
    query: ['scheme'],
    async answer(context) {
      const { api, form, query, t } = context;
      const scheme = schemeNamed(query.get('scheme'));
      if (scheme === undefined) return show(context, form);
      const secret = form.get('secret') || undefined;
      const body = withoutNulls({ ...readSourceForm(form, scheme), scheme, ...(secret !== undefined && { secret }) });
      const made = await api.change('POST /v1/sources', { body: JSON.stringify(body) });
      return made.ok
        ? createdSource(made.value, t, secret !== undefined)
        : formAgain(made.failure, (errors) => show(context, form, errors));
    },
  },
});

function show(context: TenantContext, values: URLSearchParams, errors: readonly FieldError[] = []): PageResult {
  const { t, query } = context;
  const href = `${t}/sources/new`;
  const scheme = schemeNamed(query.get('scheme'));
  if (scheme === undefined)
    return page({
      crumbs: crumbsTo(t, 'sources'),
      ...(query.has('scheme') && { status: 400 as const }),
      body: html`${query.has('scheme') && errorSummary([{ field: '', message: 'There is no such scheme. Choose one of these.' }])}${schemeChoice(href)}`,
    });
  return page({
    title: `New source: ${schemeSetups[scheme].provider}`,
    status: errors.length > 0 ? 400 : 200,
    crumbs: crumbsTo(t, 'sources', { label: 'Schemes', href }),
    body: html`${errorSummary(errors)}${postForm(context, {
      action: withQuery(href, { scheme }),
      submit: 'Create the source',
      body: sourceFields({ scheme, values, errors, isEdited: false }),
    })}`,
  });
}

const shownRejections = 5;

/** `T/sources/:id`: what to enter at the provider, what has come, what was rejected. */
const source = tenantPage({
  path: '/sources/:id',
  title: 'Source',
  section: 'sources',
  get: {
    async answer(context) {
      const { api, params, t, can } = context;
      const [source, counts] = await Promise.all([sourceOf(context), dayCounts(api, params.id)]);
      const changedId = source.identified_by.with === null ? await findChanged(api, source.id) : null;
      const rejected = await api.call('GET /v1/sources/:id/rejections', { params, query: { limit: shownRejections } });
      const href = `${t}/sources/${source.id}`;
      return page({
        title: source.name,
        heading: html`<bdi>${source.name}</bdi>`,
        subtitle: html`${schemeSetups[source.scheme].provider} · ${wholeId(source.id)}`,
        crumbs: crumbsTo(t, 'sources'),
        actions: actions(context, href),
        body: html`${sourceNotes(source, t, changedId)}${providerCard(source, can('write') ? `${href}/rotate` : undefined)}
<section class="card"><h2>Last 24 hours</h2>${figures(counts, { t, id: source.id })}</section>
${newestRejections(rejected, href)}
${settingsCard(source)}`,
      });
    },
  },
});

/** Null also where it can't be told now: the page is of use without it. */
async function findChanged(api: ReadApi, id: string): Promise<string | null> {
  const query = { source_id: id, has: 'changed', order: 'desc', limit: 2 } as const;
  const found = await api.ask('GET /v1/events', { query });
  const [event] = found.ok ? found.value : [];
  return event !== undefined && 'event_id' in event ? event.event_id : null;
}

const actions = ({ can }: TenantContext, href: string): Html =>
  html`${can('write') && html`<a class="button" href="${href}/sample">Send a sample</a>`}<a class="button" href="${href}/verify">Verify a webhook</a>${
    can('write') &&
    html`<a class="button" href="${href}/rotate">Rotate secret</a><a class="button" href="${href}/edit">Edit</a><a class="button danger" href="${href}/delete">Delete …</a>`
  }`;

function figures(counts: DayCounts | undefined, { t, id }: { t: string; id: string }): Html {
  if (counts === undefined) return html`<p>The counts are unavailable at the moment. Reload the page to try again.</p>`;
  const { received = 0, duplicates = 0, rejected = 0 } = counts;
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

/** `T/sources`, and what is below it. */
export const sourcePages = [
  sources,
  newSource,
  source,
  editSource,
  rotateSource,
  deleteSource,
  rejections,
  rejection,
  sampleWebhook,
  verifyWebhook,
];
