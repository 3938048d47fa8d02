import type { Endpoint, EndpointHealth, Replay, ReplayPreview, Stats } from '#lib/api-contract';
import type { StatSeries } from '#lib/contract';
import { html, type Html, type HtmlValue } from '#lib/html';
import { withQuery } from '../api-calls/calls.ts';
import type { Asked } from '../api-calls/console-api.ts';
import { isPartlyCounted, steps, total, totalsByKey } from '../api-calls/stats.ts';
import { barChart, figure, percent } from '../ui/chart.ts';
import { cliCommand, codeBlock, count, endpointName, inWords, joined, plural, sourceName } from '../ui/text.ts';
import { table } from '../ui/lists.ts';
import { statusBadge } from '../ui/status.ts';
import { milliseconds, minute } from '../ui/times.ts';
import { namesIn, type Overview, type RangeName, ranges, shownOfEach, valueOr, worstEndpoints } from './read.ts';

/** A part of a page that stands by itself. */
export const card = (title: Html | string, body: HtmlValue): Html =>
  html`<section class="card"><h2>${title}</h2>${body}</section>`;

/** Shows the answer, or that there is none. @param what as in `The endpoints` */
export const unlessAway = <T>(answer: Asked<T>, what: string, shown: (value: T) => HtmlValue): HtmlValue =>
  answer.ok ? shown(answer.value) : notAsked(what, answer);

/** @param what the subject of a sentence */
function notAsked(what: string, { failure }: Extract<Asked<unknown>, { ok: false }>): Html {
  const why = failure.kind === 'no_answer' ? 'the API does not answer' : `the API answered ${failure.status}`;
  return html`<p class="note note-warn">${what} can’t be shown now: ${why}. Reload the page to try again.</p>`;
}

/** The parts of an overview are made from it. */
export interface Shown {
  t: string;
  tenant: string;
  overview: Overview;
  mayWrite: boolean;
}

/** The numbers of the chosen time. Each says what it counts. */
export function figures(stats: Stats, { t, range }: Pick<Shown, 't'> & { range: RangeName }): Html {
  const { step, stepName, stepMs } = ranges[range];
  const sum = (series: StatSeries): number => total(stats, series);
  const [received, delivered, dead] = [sum('received'), sum('delivered'), sum('dead_lettered')];
  const ended = delivered + dead;
  return html`<section class="card" aria-label="Counts">
${isPartlyCounted(stats) && uncounted(stats)}
<div class="figures">
${figure({
  label: 'Received',
  value:
    received === 0
      ? '0'
      : html`<a href="${withQuery(`${t}/events`, { received_since: stats.since, received_until: stats.until })}">${count(received)}</a>`,
  definition:
    'Events that were accepted in this time. An arrival that repeats an earlier one is a duplicate, and is not counted here.',
})}
${figure({
  label: 'Duplicates',
  value: count(sum('duplicates')),
  definition:
    'Arrivals of an event that had been accepted before: the same source, the same id. They are acknowledged, and not delivered again.',
})}
${figure({
  label: 'Rejected',
  value: count(sum('rejected')),
  definition:
    'Webhooks that were refused, such as for a wrong signature. Approximate: a process that is killed loses the count of its last second.',
})}
${figure({
  label: 'Delivered',
  value: html`${percent(delivered, ended)}`,
  definition: `Of the ${count(ended)} deliveries that ended in this time, the ${count(delivered)} that were answered with a 2xx. The other ${count(dead)} became dead letters. A delivery that is still being retried is in neither number.`,
})}
${figure({
  label: 'Failed attempts',
  value: count(sum('failed')),
  definition:
    'Sends in this time that were not answered with a 2xx. One delivery may have several, and still be delivered.',
})}
</div>
<div class="charts">
${barChart({ title: 'Received', bars: steps(stats, 'received', stepMs), step: stepName })}
${barChart({ title: 'Failed attempts', bars: steps(stats, 'failed', stepMs), step: stepName, tone: 'bad' })}
</div>
<p class="muted">From ${minute(stats.since)} to ${minute(stats.until)}, by the ${stepName}${step === '1m' ? '' : ', the one under way included'}.</p></section>`;
}

const uncounted = ({ counted_since: since }: Stats): Html =>
  html`<p class="note">${since === null ? 'Counting has not begun yet.' : html`Counting began at ${minute(since)}. What happened earlier is not in these numbers.`}</p>`;

interface Step {
  title: string;
  isDone: boolean;
  text: string;
  command: string;
  /** The page that does the same. */
  link: { href: string; label: string };
}

/** How to begin, until there is an endpoint and an event. Nothing where that can't be told. */
export function firstSteps({ t, tenant, overview, mayWrite }: Shown): Html | null {
  const { endpoints, sources, newest } = overview;
  if (!endpoints.ok || !newest.ok) return null;
  const names = namesIn(overview);
  const hasEndpoint = names.endpoints.names.size > 0;
  const hasEvent = newest.value.length > 0;
  if (hasEndpoint && hasEvent) return null;
  const steps: readonly Step[] = [
    {
      title: 'Say where webhooks come from',
      isDone: hasEvent || (sources.ok && sources.value.length > 0),
      text: 'A source has a URL to give to the provider, and checks its signatures.',
      command: cliCommand('sources create --name Stripe --scheme stripe', tenant),
      link: { href: `${t}/sources/new`, label: 'New source' },
    },
    {
      title: 'Say where events go',
      isDone: hasEndpoint,
      text: 'An endpoint is a URL that events are sent to, signed.',
      command: cliCommand('endpoints create --url https://example.com/hooks', tenant),
      link: { href: `${t}/endpoints/new`, label: 'New endpoint' },
    },
    {
      title: 'Send the first event',
      isDone: hasEvent,
      text: 'Let the provider send one, or publish one of your own. It is in the list of events at once.',
      command: cliCommand(`events publish --type order.paid --payload '{"order":1}'`, tenant),
      link: { href: `${t}/events`, label: 'Events' },
    },
  ];
  return html`<section class="card first-steps"><h2>First steps</h2><ol>${steps.map((step) => shownStep(step, mayWrite))}</ol></section>`;
}

const shownStep = ({ title, isDone, text, command, link }: Step, mayWrite: boolean): Html =>
  html`<li><h3>${title} ${isDone && statusBadge('completed', 'done')}</h3>${!isDone && html`<p>${text}</p>${codeBlock(command)}${mayWrite && html`<p><a href="${link.href}">${link.label}</a></p>`}`}</li>`;

type Naming = Omit<Shown, 'tenant'>;

/** The things that need somebody, worst first: each with the page where it is put right. */
export function needsYou(given: Naming): Html {
  const { t, overview } = given;
  const { failing, disabled, deadLetters, bySource, replays } = overview;
  const items = [
    ...endpointItems(failing, `${t}/endpoints?failing=true`, (endpoint) => failingItem(endpoint, given)),
    ...endpointItems(disabled, `${t}/endpoints?status=disabled`, (endpoint) => disabledItem(endpoint, given)),
    ...(deadLetters.ok ? deadLetterItems(deadLetters.value, given) : []),
    ...rejectingItems(given),
    ...valueOr(replays, [])
      .filter(isUnderWay)
      .map((replay) => replayItem(replay, t)),
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

/** The first ones, and where all of them are. */
function endpointItems(
  found: Asked<readonly Endpoint[]>,
  all: string,
  item: (endpoint: Endpoint) => Html,
): readonly Html[] {
  const items = valueOr(found, []).map(item);
  if (items.length <= shownOfEach) return items;
  return [...items.slice(0, shownOfEach), html`<a href="${all}">More such endpoints</a>`];
}

function failingItem({ id, url, failing_since: since, paused_at: pausedAt }: Endpoint, given: Naming): Html {
  const health = given.overview.health.get(id);
  return html`${statusBadge('failing')} ${endpointLink(id, url, given)} <span>since ${minute(since)}${waiting(health)}${pausedAt !== null && ' · paused'}${health?.disables_at != null && html` · will be disabled at ${minute(health.disables_at)} if it keeps failing`}</span>`;
}

const disabledReasons: Readonly<Record<string, string>> = {
  by_request: 'by request',
  gone: 'because it answered 410',
  failing: 'because it failed for days',
};

const disabledItem = ({ id, url, disabled_at: at, disabled_reason: reason }: Endpoint, given: Naming): Html =>
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
function waiting(health: EndpointHealth | undefined): Html | null {
  if (health === undefined) return null;
  const { retrying, parked, is_capped: isCapped, oldest } = health.waiting;
  if (retrying + parked === 0) return html` · nothing waits`;
  return html` · ${count(retrying + parked, isCapped)} wait${oldest !== null && html`, the oldest since ${minute(oldest)}`}`;
}

/** No more are named: the page of dead letters has them all. */
const shownReasons = 3;

function deadLetterItems(
  { matched, left_out: more, by_reason: reasons }: ReplayPreview,
  { t, mayWrite }: Naming,
): readonly Html[] {
  if (matched === 0) return [];
  const named = reasons.toSorted((a, b) => b.letters - a.letters).slice(0, shownReasons);
  const list = named.map(
    ({ reason, letters }) =>
      html`<a href="${withQuery(`${t}/dead-letters`, { reason, status: 'dead' })}">${count(letters)} ${inWords(reason)}</a>`,
  );
  return [
    html`${statusBadge('dead', 'dead letters')} <a href="${t}/dead-letters?status=dead">${plural(matched + more, 'dead letter')}</a> <span class="muted">by reason: ${joined(list)}${reasons.length > named.length && ', …'}</span>${mayWrite && html` <a class="need-action" href="${t}/replays/new?what=dead_letters">Replay …</a>`}`,
  ];
}

function rejectingItems({ t, overview }: Naming): readonly Html[] {
  const { bySource } = overview;
  if (!bySource.ok) return [];
  const names = namesIn(overview);
  return [...totalsByKey(bySource.value)]
    .filter(([, { rejected }]) => rejected > 0)
    .sort(([, a], [, b]) => b.rejected - a.rejected)
    .slice(0, shownOfEach)
    .map(
      ([id, { rejected }]) =>
        html`${statusBadge('rejecting', 'rejecting', 'warn')} ${sourceName(id, { t, names })} <span>${plural(rejected, 'webhook')} rejected in this time</span>${names.sources.names.has(id) && html` <a class="need-action" href="${t}/sources/${id}/rejections">Why?</a>`}`,
    );
}

const isUnderWay = ({ status }: Replay): boolean => status === 'queued' || status === 'running';

const replayItem = ({ id, status, matched, replayed, failed }: Replay, t: string): Html =>
  html`${statusBadge(status)} <a href="${t}/replays/${id}">Replay of ${plural(matched, 'item')}</a> <span>${count(replayed + failed)} of ${count(matched)} done${failed > 0 && `, ${count(failed)} failed`}</span>`;

type Ranking = Pick<Shown, 't' | 'overview'>;

/** Endpoints by the share of their attempts that failed. */
export function endpointsWorstFirst({ t, overview }: Ranking): Html {
  const { byEndpoint, health } = overview;
  const rows = worstEndpoints(byEndpoint);
  return card(
    'Endpoints, worst first',
    unlessAway(byEndpoint, 'Counts by endpoint', () =>
      rows.length === 0
        ? html`<p class="muted">Nothing was sent in this time.</p>`
        : html`${table({
            caption: 'Endpoints, worst first',
            rows,
            columns: [
              { header: 'Endpoint', cell: ([id]) => endpointName(id, { t, names: namesIn(overview) }) },
              {
                header: 'Success',
                isNumber: true,
                cell: ([, { delivered, failed }]) => percent(delivered, delivered + failed),
              },
              { header: 'Failed', isNumber: true, cell: ([, { failed }]) => count(failed) },
              { header: 'p95', isNumber: true, cell: ([id]) => milliseconds(health.get(id)?.latency.p95_ms) },
              { header: 'Waiting', isNumber: true, cell: ([id]) => waitingOf(health.get(id)) },
              { header: 'Breaker', cell: ([id]) => breakerOf(health.get(id)) },
            ],
          })}<p class="muted">Success: attempts that were answered with a 2xx, of all. p95: 95 % of the latest attempts of a day took no longer. Waiting: deliveries to send. Breaker: open while only probes are sent to an endpoint. <a href="${t}/endpoints">All endpoints</a></p>`,
    ),
  );
}

const waitingOf = (health: EndpointHealth | undefined): HtmlValue =>
  health === undefined ? '–' : count(health.waiting.retrying + health.waiting.parked, health.waiting.is_capped);

const breakerOf = (health: EndpointHealth | undefined): HtmlValue =>
  health?.breaker == null ? html`<span class="muted">unknown</span>` : statusBadge(health.breaker.state);

const shownTypes = 8;
/** The name of all types beyond the ones that are counted by name. */
const otherTypes = 'other';

/** Types by how many events there were. */
export function typesMostFirst({ t, overview: { byType } }: Ranking): Html {
  return card(
    'Types, most first',
    unlessAway(byType, 'Counts by type', (stats) => {
      const rows = [...totalsByKey(stats)]
        .filter(([, { received }]) => received > 0)
        .sort(([, a], [, b]) => b.received - a.received)
        .slice(0, shownTypes);
      return rows.length === 0
        ? html`<p class="muted">No event was received in this time.</p>`
        : table({
            caption: 'Types, most first',
            rows,
            columns: [
              { header: 'Type', cell: ([type]) => typeLink(type, t) },
              { header: 'Received', isNumber: true, cell: ([, { received }]) => count(received) },
              {
                header: 'Delivered',
                isNumber: true,
                cell: ([, { delivered, dead_lettered: dead }]) => percent(delivered, delivered + dead),
              },
            ],
          });
    }),
  );
}

const typeLink = (type: string, t: string): Html =>
  type === otherTypes ? html`all others` : html`<a href="${withQuery(`${t}/events`, { type })}"><bdi>${type}</bdi></a>`;
