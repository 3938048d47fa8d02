import type { ApiFailure } from '#client';
import type { BulkPreview, ReplayItem, ReplayPreview } from '#lib/api-contract';
import { html } from '#lib/html';
import { formatMicros } from '#lib/runtime';
import { countsOf, startedReplay, withQuery } from '../api-calls/calls.ts';
import type { FieldError, Listed, ReadApi } from '../api-calls/console-api.ts';
import { readTenantNames } from '../api-calls/tenant-names.ts';
import { page, type PageResult, problem, seeOther } from '../page-result.ts';
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
import { previewView } from './views.ts';

/** Counting what a replay would take: a dry run of the API, in one form for dead letters, events and deliveries. */

export interface Preview {
  /** Starts exactly what was counted. */
  asOf: string;
  /** The time of the count. */
  at: string;
  matched: number;
  leftOut: number;
  /** False: there are more than were counted, and they are taken too. */
  isComplete: boolean;
  byEndpoint: readonly { endpointId: string | null; n: number; isAtMost: boolean }[];
  byReason: readonly { reason: string; n: number }[];
  /** Undefined: no rate was chosen. */
  seconds: number | undefined;
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
    if (selection.failedOf !== null && ids.length === 0) return { ok: true, preview: { ...none, asOf: at, at } };
    const counted = await countsOf(api.query(bulkKinds.dead_letters.name, { body }));
    return counted.ok ? { ok: true, preview: ofDeadLetters(counted.value, at, selection) } : counted;
  }
  const counted = await countsOf(api.query(bulkKinds[selection.kind].name, { body }));
  return counted.ok ? { ok: true, preview: ofMatches(counted.value, at) } : counted;
}

const none = { matched: 0, leftOut: 0, isComplete: true, byEndpoint: [], byReason: [], seconds: undefined, ids: [] };

/** Dead letters have no `as_of`: the time until which they were counted does the same. */
function ofDeadLetters(counts: ReplayPreview, at: string, { rate }: Selection): Preview {
  return {
    asOf: at,
    at,
    matched: counts.matched,
    leftOut: counts.left_out,
    isComplete: true,
    byEndpoint: counts.by_endpoint.map(({ endpoint_id: endpointId, letters: n }) => ({
      endpointId,
      n,
      isAtMost: false,
    })),
    byReason: counts.by_reason.map(({ reason, letters: n }) => ({ reason, n })),
    seconds: rate === undefined ? undefined : counts.matched / Number(rate),
    ids: counts.ids,
  };
}

function ofMatches(counts: BulkPreview, at: string): Preview {
  return {
    asOf: counts.as_of,
    at,
    matched: counts.matched,
    leftOut: counts.left_out,
    isComplete: counts.complete,
    byEndpoint: counts.by_endpoint.map(({ endpoint_id: endpointId, deliveries: n, at_most: isAtMost }) => ({
      endpointId,
      n,
      isAtMost,
    })),
    byReason: counts.by_reason.map(({ reason, deliveries: n }) => ({ reason, n })),
    seconds: counts.seconds ?? undefined,
    ids: [],
  };
}

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
      preview,
      selection,
      t,
      names,
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
  const asked = selection.kind === 'dead_letters' ? body : { ...body, as_of: asOf };
  const started = await startedReplay(api.change(bulkKinds[selection.kind].name, { body: JSON.stringify(asked) }));
  if (started.ok) return seeOther(`${t}/replays/${started.value.id}`);
  const { failure } = started;
  return failure.kind === 'problem' && failure.status === 400
    ? showPreview(context, changed)
    : problemOfFailure(failure);
}

const changed = 'Nothing was started: this preview is not the one that was counted. Look at it again, then start it.';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
