import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { readTenantNames } from '../../api-calls/tenant-names.ts';
import { page, type PageResult, problem, seeOther } from '../../page-result.ts';
import { type TenantContext, type TenantFormContext, tenantPage } from '../../page.ts';
import { bulkChoice } from '../../pages/replays/bulk-choice.ts';
import { previewView } from '../../pages/replays/preview-view.ts';
import { selectionForm } from '../../pages/replays/selection-form.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { postForm } from '../../parts/form.ts';
import { count } from '../../parts/count.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { chosenIds, type Preview, previewOf } from './preview.ts';
import { bodyOf, bulkKinds, formField, readSelection, type Selection, selectionParameters } from './selection.ts';

/** `T/replays/new?what=…&…`: counts what would be taken, then takes exactly that. */
export const newReplay = tenantPage({
  path: '/replays/new',
  title: 'Replay: preview',
  section: 'replays',
  get: {
    capability: 'replay',
    query: selectionParameters,
    answer: (context) => showPreview(context),
  },
  post: {
    capability: 'replay',
    query: selectionParameters,
    answer: (context) => start(context),
  },
});

async function showPreview(context: TenantContext, stale?: string): Promise<PageResult> {
  const { t, query, can, isCustomer } = context;
  if (!query.has('what')) return page({ title: 'What is to be replayed?', body: bulkChoice(context) });
  const selection = readSelection(query);
  if ('errors' in selection) return problem(400, { errors: selection.errors });
  const [counted, names] = await Promise.all([previewOf(context, selection), readTenantNames(context)]);
  const { verb, resources, list } = bulkKinds[selection.kind];
  const action = `${t}/replays/new`;
  const content = {
    title: `${verb} ${resources}: preview`,
    crumbs: [{ label: capital(resources), href: t + list }],
  };
  const form = (errors: readonly FieldError[] = []) =>
    selectionForm({ action, selection, names, query, errors, isCustomer });

  if (!counted.ok) {
    const { failure } = counted;
    if (failure.kind !== 'problem' || failure.status !== 400) return problemOfFailure(failure);
    const errors = (failure.problem.errors ?? [{ field: '', message: failure.problem.detail ?? '' }]).map(
      ({ field, message }) => ({ field: formField(field, selection), message }),
    );
    return page({ ...content, status: 400, body: html`${errorSummary(errors)}${form(errors)}` });
  }
  const { preview } = counted;
  const note = stale === undefined ? null : html`<p class="note note-warn" role="alert">${stale}</p>`;
  if (preview.matched === 0)
    return page({
      ...content,
      status: 404,
      body: html`${note}${form()}<div class="empty"><h2>Nothing matches</h2><p>${nothing(selection)}</p></div>`,
    });
  return page({
    ...content,
    ...(stale !== undefined && { status: 400 as const }),
    body: html`${note}${previewView({
      ...{ preview, selection, t, names },
      start: can('write', 'replay') ? startForm(context, selection, preview) : null,
    })}
<h2>Change what is taken</h2>
<p class="muted">Times are written like 2026-01-31T09:30:00Z. Without a limit, all that match are taken.</p>${form()}`,
  });
}

const nothing = ({ kind }: Selection): string => {
  switch (kind) {
    case 'dead_letters':
      return 'No replayable dead letter matches all filters. Dead letters that were replayed, or are being replayed, are excluded.';
    case 'events':
      return 'No event matches all filters, or no endpoint gets those that do.';
    case 'retry':
      return 'No waiting or dead-lettered delivery matches all filters.';
    case 'cancel':
      return 'No open delivery matches all filters.';
  }
};

const startForm = (context: TenantContext, { kind }: Selection, { matched, asOf }: Preview) =>
  postForm(context, {
    action: withQuery(`${context.t}/replays/new`, context.query),
    submit: startWords[kind](count(matched)),
    hidden: { as_of: asOf },
    tone: kind === 'cancel' ? 'danger' : 'primary',
  });

const startWords = {
  dead_letters: (n: string) => `Start replay of ${n}`,
  events: (n: string) => `Start replay of ${n}`,
  retry: (n: string) => `Start retry of ${n}`,
  cancel: (n: string) => `Cancel ${n}`,
};

async function start(context: TenantFormContext): Promise<PageResult> {
  const { api, t, query, form } = context;
  const selection = readSelection(query);
  if ('errors' in selection) return problem(400, { errors: selection.errors });
  const asOf = form.get('as_of') ?? '';
  if (asOf === '') return showPreview(context, changed);
  const ids = await chosenIds(api, selection);
  // No dead letter has an empty list of ids: all would match.
  if (selection.failedOf !== null && ids.length === 0) return showPreview(context, changed);
  const body = bodyOf(selection, { until: asOf, ids });
  const started = await api.send<{ id: string }>('POST', bulkKinds[selection.kind].path, {
    body: selection.kind === 'dead_letters' ? body : { ...body, as_of: asOf },
  });
  if (started.ok) return seeOther(`${t}/replays/${started.value.id}`);
  const { failure } = started;
  return failure.kind === 'problem' && failure.status === 400
    ? showPreview(context, changed)
    : problemOfFailure(failure);
}

const changed = 'Nothing was started: this preview is not the one that was counted. Look at it again, then start it.';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
