import type { ApiFailure } from '#client';
import type { BulkPreview, ReplayItem, ReplayPreview } from '#lib/api-contract';
import { html } from '#lib/html';
import { formatMicros } from '#lib/runtime';
import { countsOf, startedReplay, withQuery } from '../api-calls/calls.ts';
import type { FieldError, Listed, ReadApi } from '../api-calls/console-api.ts';
import { readTenantNames } from '../api-calls/tenant-names.ts';
import { afterChange, formAgain } from '../after-change.ts';
import { page, type PageResult, problem } from '../page-result.ts';
import { type TenantContext, type TenantFormContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { errorSummary, postForm } from '../ui/form.ts';
import { count } from '../ui/text.ts';
import {
  bodyOf,
  bulkChoice,
  bulkKinds,
  formField,
  readSelection,
  type Selection,
  selectionForm,
  selectionParameters,
} from './selection.ts';
import { capital, previewView } from './views.ts';

/** Counting what a replay would take: a dry run of the API, in one form for dead letters, events and deliveries. */

type CountOfEndpoint = BulkPreview['by_endpoint'][number];

/** The counts of events and deliveries; those of dead letters are told likewise. */
export interface Preview extends Omit<BulkPreview, 'dry_run' | 'by_endpoint'> {
  /** The time of the count. */
  at: string;
  /** Null: dead letters without one. */
  by_endpoint: readonly (Omit<CountOfEndpoint, 'endpoint_id'> & { endpoint_id: string | null })[];
  /** The first dead letters. */
  ids: readonly string[];
}

async function previewOf(
  { api, clock }: Pick<TenantContext, 'api' | 'clock'>,
  selection: Selection,
): Promise<{ ok: true; preview: Preview } | { ok: false; failure: ApiFailure }> {
  const at = formatMicros(clock.nowMs() * 1_000);
  const ids = await chosenIds(api, selection);
  const body = JSON.stringify({ ...bodyOf(selection, { until: at, ids }), dry_run: true });
  if (selection.kind === 'dead_letters') {
    // No dead letter has an empty list of ids: all would match.
    if (selection.failedOf !== null && ids.length === 0)
      return { ok: true, preview: ofDeadLetters(none, at, selection) };
    const counted = await countsOf(api.query(bulkKinds.dead_letters.name, { body }));
    return counted.ok ? { ok: true, preview: ofDeadLetters(counted.value, at, selection) } : counted;
  }
  const counted = await countsOf(api.query(bulkKinds[selection.kind].name, { body }));
  return counted.ok ? { ok: true, preview: { ...counted.value, at, ids: [] } } : counted;
}

const none: Omit<ReplayPreview, 'dry_run'> = { matched: 0, left_out: 0, by_endpoint: [], by_reason: [], ids: [] };

/** Dead letters have no `as_of`: the time until which they were counted does the same. */
const ofDeadLetters = (counts: typeof none, at: string, { rate }: Selection): Preview => ({
  as_of: at,
  at,
  matched: counts.matched,
  left_out: counts.left_out,
  complete: true,
  by_endpoint: counts.by_endpoint.map(({ endpoint_id, letters }) => ({
    endpoint_id,
    deliveries: letters,
    at_most: false,
  })),
  by_reason: counts.by_reason.map(({ reason, letters }) => ({ reason, deliveries: letters })),
  seconds: rate === undefined ? null : counts.matched / Number(rate),
  ids: counts.ids,
});

/** As many ids as one request takes. */
const maxIds = 10_000;
const pageItems = 1_000;

/** The ids of the address; or the dead letters that the named replay could not send. */
async function chosenIds(api: ReadApi, { ids, failedOf }: Selection): Promise<readonly string[]> {
  if (failedOf === null) return ids;
  const found: string[] = [];
  let parameters: URLSearchParams | undefined = new URLSearchParams({ status: 'failed', limit: String(pageItems) });
  while (parameters !== undefined && found.length < maxIds) {
    const listed: Listed<ReplayItem> = await api.list('GET /v1/replays/:id/items', {
      params: { id: failedOf },
      query: parameters,
    });
    if (!listed.ok) break;
    found.push(...listed.items.flatMap(({ dead_letter_id: id }) => id ?? []));
    parameters = listed.next;
  }
  return found.slice(0, maxIds);
}

/** `T/replays/new?what=…&…`: counts what would be taken, then takes exactly that. */
export const newReplay = tenantPage({
  path: '/replays/new',
  title: 'Replay: preview',
  section: 'replays',
  get: { capability: 'replay', query: selectionParameters, answer: (context) => showPreview(context) },
  post: { capability: 'replay', query: selectionParameters, answer: start },
});

async function showPreview(context: TenantContext, stale?: string): Promise<PageResult> {
  const { t, query, can } = context;
  if (!query.has('what')) return page({ title: 'What is to be replayed?', body: bulkChoice(context) });
  const selection = readSelection(query);
  if ('errors' in selection) return problem(400, { errors: selection.errors });
  const [counted, names] = await Promise.all([previewOf(context, selection), readTenantNames(context)]);
  const { verb, resources, list, nothing } = bulkKinds[selection.kind];
  const content = { title: `${verb} ${resources}: preview`, crumbs: [{ label: capital(resources), href: t + list }] };
  const form = (errors: readonly FieldError[] = []) => selectionForm(context, selection, names, errors);

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
      body: html`${note}${form()}<div class="empty"><h2>Nothing matches</h2><p>${nothing}</p></div>`,
    });
  const button = can('write', 'replay') ? startForm(context, selection, preview) : null;
  return page({
    ...content,
    ...(stale !== undefined && { status: 400 as const }),
    body: html`${note}${previewView(preview, selection, { t, names }, button)}
<h2>Change what is taken</h2>
<p class="muted">Times are written like 2026-01-31T09:30:00Z. Without a limit, all that match are taken.</p>${form()}`,
  });
}

const startForm = (context: TenantContext, { kind }: Selection, { matched, as_of }: Preview) =>
  postForm(context, {
    action: withQuery(`${context.t}/replays/new`, context.query),
    submit: `${bulkKinds[kind].start} ${count(matched)}`,
    hidden: { as_of },
    tone: kind === 'cancel' ? 'danger' : 'primary',
  });

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
  const asked = selection.kind === 'dead_letters' ? body : { ...body, as_of: asOf };
  const started = startedReplay(api.change(bulkKinds[selection.kind].name, { body: JSON.stringify(asked) }));
  return afterChange(
    started,
    ({ id }) => `${t}/replays/${id}`,
    (failure) => formAgain(failure, () => showPreview(context, changed)),
  );
}

const changed = 'Nothing was started: this preview is not the one that was counted. Look at it again, then start it.';
