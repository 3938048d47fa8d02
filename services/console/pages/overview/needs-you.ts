import { html, type Html } from '#lib/html';
import type { Asked } from '../../api-calls/console-api.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { count } from '../../parts/count.ts';
import { endpointName, sourceName } from '../../parts/named-link.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { minute } from '../../parts/minute.ts';
import { inWords, plural } from '../../parts/words.ts';
import {
  type DeadLetterCounts,
  type Health,
  namesIn,
  type Overview,
  type RunningReplay,
  type ShownEndpoint,
  shownOfEach,
} from '../../routes/overview/ask-overview.ts';
import { totalsByKey } from '../../routes/overview/stats.ts';
import { notAsked } from './card.ts';

interface Naming {
  t: string;
  overview: Overview;
  mayWrite: boolean;
}

/** The things that need somebody, worst first: each with the page where it is put right. */
export function needsYou(given: Naming): Html {
  const { failing, disabled, deadLetters, bySource, replays } = given.overview;
  const items = [
    ...(failing.ok ? endpointItems(failing.value, { given, item: failingItem, all: 'failing=true' }) : []),
    ...(disabled.ok ? endpointItems(disabled.value, { given, item: disabledItem, all: 'status=disabled' }) : []),
    ...(deadLetters.ok ? deadLetterItems(deadLetters.value, given) : []),
    ...(bySource.ok ? rejectingItems(given) : []),
    ...(replays.ok ? replays.value.filter(isRunning).map((replay) => replayItem(replay, given)) : []),
  ];
  const away: Html[] = [
    ...lacking('Which endpoints fail or are disabled', failing, disabled),
    ...lacking('Dead letters', deadLetters),
    ...lacking('Rejections of sources', bySource),
    ...lacking('Replays', replays),
  ];
  return html`<section class="card needs" aria-labelledby="needs-you"><h2 id="needs-you">Needs you${items.length > 0 && html` (${items.length})`}</h2>
${items.length > 0 ? html`<ul class="need-list">${items.map((item) => html`<li>${item}</li>`)}</ul>` : away.length === 0 && html`<p>${statusBadge('active', 'Nothing')} No endpoint fails, nothing is dead-lettered, no source rejects, and no replay runs.</p>`}
${away}</section>`;
}

const lacking = (what: string, ...answers: readonly Asked<unknown>[]): readonly Html[] => {
  const failed = answers.find((answer) => !answer.ok);
  return failed?.ok === false ? [notAsked(what, failed)] : [];
};

interface EndpointItems {
  given: Naming;
  item(endpoint: ShownEndpoint, given: Naming): Html;
  /** The filter that shows all of them. */
  all: string;
}

const endpointItems = (found: readonly ShownEndpoint[], { given, item, all }: EndpointItems): readonly Html[] => [
  ...found.slice(0, shownOfEach).map((endpoint) => item(endpoint, given)),
  ...(found.length > shownOfEach ? [html`<a href="${given.t}/endpoints?${all}">More such endpoints</a>`] : []),
];

function failingItem({ id, url, failing_since: since, paused_at: pausedAt }: ShownEndpoint, given: Naming): Html {
  const health = given.overview.health.get(id);
  return html`${statusBadge('failing')} ${endpointLink(id, url, given)} <span>since ${minute(since)}${waiting(health)}${pausedAt !== null && ' · paused'}${health?.disables_at != null && html` · will be disabled at ${minute(health.disables_at)} if it keeps failing`}</span>`;
}

const disabledReasons: Readonly<Record<string, string>> = {
  by_request: 'by request',
  gone: 'because it answered 410',
  failing: 'because it failed for days',
};

const disabledItem = ({ id, url, disabled_at: at, disabled_reason: reason }: ShownEndpoint, given: Naming): Html =>
  html`${statusBadge('disabled')} ${endpointLink(id, url, given)} <span>since ${minute(at)}, ${disabledReasons[reason ?? ''] ?? inWords(reason ?? '')}: nothing is sent to it</span>`;

/** Also of one that is not among the named ones. */
function endpointLink(id: string, url: string, { t, overview }: Naming): Html {
  const { endpoints, sources } = namesIn(overview);
  return endpointName(id, {
    t,
    names: { endpoints: { ...endpoints, names: new Map([[id, url], ...endpoints.names]) }, sources },
  });
}

/** The deliveries that are sent once it answers again. */
function waiting(health: Health | undefined): Html | null {
  if (health === undefined) return null;
  const { retrying, parked, is_capped: isCapped, oldest } = health.waiting;
  if (retrying + parked === 0) return html` · nothing waits`;
  return html` · ${count(retrying + parked, isCapped)} wait${oldest !== null && html`, the oldest since ${minute(oldest)}`}`;
}

/** No more are named: the page of dead letters has them all. */
const shownReasons = 3;

function deadLetterItems(
  { matched, left_out: more, by_reason: reasons }: DeadLetterCounts,
  { t, mayWrite }: Naming,
): readonly Html[] {
  if (matched === 0) return [];
  const named = reasons.toSorted((a, b) => b.letters - a.letters).slice(0, shownReasons);
  const list = named.map(
    ({ reason, letters }, index) =>
      html`${index > 0 && ', '}<a href="${withQuery(`${t}/dead-letters`, { reason, status: 'dead' })}">${count(letters)} ${inWords(reason)}</a>`,
  );
  return [
    html`${statusBadge('dead', 'dead letters')} <a href="${t}/dead-letters?status=dead">${plural(matched + more, 'dead letter')}</a> <span class="muted">by reason: ${list}${reasons.length > named.length && ', …'}</span>${mayWrite && html` <a class="need-action" href="${t}/replays/new?what=dead_letters">Replay …</a>`}`,
  ];
}

function rejectingItems({ t, overview }: Naming): readonly Html[] {
  const { bySource } = overview;
  if (!bySource.ok) return [];
  return [...totalsByKey(bySource.value)]
    .filter(([, { rejected }]) => rejected > 0)
    .sort(([, a], [, b]) => b.rejected - a.rejected)
    .slice(0, shownOfEach)
    .map(
      ([id, { rejected }]) =>
        html`${statusBadge('rejecting', 'rejecting', 'warn')} ${sourceName(id, { t, names: namesIn(overview) })} <span>${plural(rejected, 'webhook')} rejected in this time</span>${isThere(id, overview) && html` <a class="need-action" href="${t}/sources/${id}/rejections">Why?</a>`}`,
    );
}

const isThere = (id: string, overview: Overview): boolean => namesIn(overview).sources.names.has(id);

const running: readonly string[] = ['queued', 'running', 'cancelling'];
const isRunning = ({ status }: RunningReplay): boolean => running.includes(status);

const replayItem = ({ id, status, matched, replayed, failed }: RunningReplay, { t }: Naming): Html =>
  html`${statusBadge(status)} <a href="${t}/replays/${id}">Replay of ${plural(matched, 'item')}</a> <span>${count(replayed + failed)} of ${count(matched)} done${failed > 0 && `, ${count(failed)} failed`}</span>`;
