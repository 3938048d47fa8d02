import type { Stats, Endpoint, EndpointHealth } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import { askHealth, totalsByKey } from '../api-calls/stats.ts';
import { page, type PageResult } from '../page-result.ts';
import { type Page, type TenantContext, tenantPage } from '../page.ts';
import { percent } from '../ui/chart.ts';
import { crumbsTo } from '../sections.ts';
import { countsFrom, errorSummary, missedHref, postForm, textField } from '../ui/form.ts';
import { listPage, listParameters } from '../ui/list-page.ts';
import type { Column, Filter } from '../ui/lists.ts';
import { statusBadge } from '../ui/status.ts';
import { cliCommand, count, plural, wholeId } from '../ui/text.ts';
import { minute, time } from '../ui/times.ts';
import { answerWrongForm } from './action-page.ts';
import { buttonPages, deleteEndpoint, disableEndpoint, pauseEndpoint, rotateSecret, secretPage } from './actions.ts';
import { editEndpoint } from './edit.ts';
import { fieldsFor, type FormValues, newValues, valuesOfForm } from './form.ts';
import { endpointStatus, readAttemptStats, readChoices, readEndpoint } from './read.ts';
import { recoverEndpoint } from './recover.ts';
import { createBody } from './settings-body.ts';
import { testEndpoint } from './test-endpoint.ts';
import { endpointPage } from './views.ts';

const filters: readonly Filter[] = [
  { kind: 'text', name: 'q', label: 'URL or description', placeholder: 'contains …' },
  { kind: 'choice', name: 'status', label: 'Status', options: ['enabled', 'disabled'] },
  {
    kind: 'choice',
    name: 'failing',
    label: 'Failing',
    options: [
      { value: 'true', label: 'failing' },
      { value: 'false', label: 'not failing' },
    ],
  },
];

/** `T/endpoints`: where events are sent to, and how each does. */
const endpoints = tenantPage({
  path: '/endpoints',
  title: 'Endpoints',
  section: 'endpoints',
  get: {
    capability: 'view',
    query: listParameters(filters),
    async answer(context) {
      const { t, tenant, api, query, can, isCustomer } = context;
      const [listed, stats] = await Promise.all([
        api.list('GET /v1/endpoints', { query }),
        isCustomer ? undefined : readAttemptStats(api),
      ]);
      const mayCreate = can('write', 'endpoints');
      const failing = listed.ok ? listed.items.filter((one) => endpointStatus(one) === 'failing') : [];
      const health = await askHealth(
        api,
        failing.slice(0, mostAsked).map(({ id }) => id),
      );
      return listPage<Endpoint>(context, {
        title: 'Endpoints',
        href: `${t}/endpoints`,
        listed,
        filters,
        actions: mayCreate ? html`<a class="button primary" href="${t}/endpoints/new">New endpoint</a>` : null,
        row: ({ id }) => `${t}/endpoints/${id}`,
        columns: columnsOf(stats, health),
        empty: {
          title: 'No endpoint yet',
          body: 'An endpoint is a URL that events are sent to. It receives events accepted two seconds or more after its creation.',
          ...(!isCustomer && { command: cliCommand('endpoints create --url https://example.com/hooks', tenant) }),
          ...(mayCreate && { actions: firstForm(context) }),
        },
      });
    },
  },
});

/** Each costs the API several queries: of the rows that need somebody, the first ones alone are asked for. */
const mostAsked = 10;

type Totals = { delivered: number; failed: number };

function columnsOf(stats: Stats | undefined, health: ReadonlyMap<string, EndpointHealth>): readonly Column<Endpoint>[] {
  const totals = stats === undefined ? undefined : totalsByKey(stats);
  return [
    {
      header: 'URL',
      cell: ({ url, description }) =>
        html`<bdi class="url">${url}</bdi>${description !== '' && html`<br><bdi class="muted">${description}</bdi>`}`,
    },
    {
      header: 'Status',
      cell: (endpoint) => html`${statusBadge(endpointStatus(endpoint))}${since(endpoint, health.get(endpoint.id))}`,
    },
    ...(totals === undefined
      ? []
      : [{ header: 'Delivered, 24 h', cell: ({ id }: Endpoint) => delivered(totals.get(id)) }]),
    {
      header: 'Gets',
      cell: ({ event_types: types }) => html`<bdi>${types.length === 0 ? 'all types' : types.join(', ')}</bdi>`,
    },
  ];
}

/** Since when it is so, and what that means by now. */
function since(
  { disabled_at: disabledAt, paused_until: pausedUntil, failing_since: failingSince }: Endpoint,
  health: EndpointHealth | undefined,
): Html {
  if (disabledAt !== null) return html` <span class="muted">since ${minute(disabledAt)}</span>`;
  if (pausedUntil !== null) return html` <span class="muted">until ${minute(pausedUntil)}</span>`;
  if (failingSince === null) return html``;
  const waiting = (health?.waiting.retrying ?? 0) + (health?.waiting.parked ?? 0);
  return html` <span class="muted">since ${minute(failingSince)}${waiting > 0 && html`<br>${count(waiting, health?.waiting.is_capped)} wait`}${health?.breaker?.state === 'open' && html`<br>breaker open`}</span>`;
}

/** Attempts that were taken, of all. */
function delivered(given: Totals | undefined): Html {
  const { delivered: good = 0, failed = 0 } = given ?? {};
  const attempts = good + failed;
  return attempts === 0
    ? html`<span class="muted">nothing sent</span>`
    : html`${percent(good, attempts)} <span class="muted">of ${plural(attempts, 'attempt')}</span>`;
}

const firstForm = (context: TenantContext): Html =>
  postForm(context, {
    action: `${context.t}/endpoints/new`,
    submit: 'Create endpoint',
    body: textField({
      name: 'url',
      label: 'URL',
      type: 'url',
      hint: 'Such as https://example.com/hooks. All its settings can be changed later.',
      isRequired: true,
    }),
  });

/** `T/endpoints/new`. Its answer alone shows the secret; a reload of it shows the same, and creates nothing. */
const newEndpoint = tenantPage({
  path: '/endpoints/new',
  title: 'New endpoint',
  section: 'endpoints',
  get: { scope: 'write', capability: 'endpoints', answer: (context) => showForm(context, newValues, []) },
  post: {
    capability: 'endpoints',
    async answer(context) {
      const { api, t, form } = context;
      const values = valuesOfForm(form);
      const read = createBody(values);
      if (!read.ok) return showForm(context, values, read.errors);
      const created = await api.change('POST /v1/endpoints', { body: JSON.stringify(read.body) });
      if (!created.ok) return answerWrongForm(context, created.failure, (errors) => showForm(context, values, errors));
      const { id, url, secret } = created.value;
      const mayReplay = context.can('write', 'replay');
      return page({
        status: 201,
        title: 'Endpoint created',
        subtitle: wholeId(id),
        crumbs: crumbsTo(t, 'endpoints'),
        islands: ['counts-from'],
        body: secretPage(
          html`<p><bdi class="url">${url}</bdi> receives the events that are accepted from ${countsFrom(created.value)} on.${mayReplay && html` <a href="${missedHref(t, created.value)}">Send it what it missed</a>`}</p>`,
          secret,
          `${t}/endpoints/${id}`,
        ),
      });
    },
  },
});

async function showForm(
  context: TenantContext,
  values: FormValues,
  errors: readonly FieldError[],
): Promise<PageResult> {
  const { t } = context;
  const choices = await readChoices(context);
  return page({
    ...(errors.length > 0 && { status: 400 }),
    crumbs: crumbsTo(t, 'endpoints'),
    body: html`${errorSummary(errors)}${postForm(context, {
      action: `${t}/endpoints/new`,
      submit: 'Create endpoint',
      body: fieldsFor(context, { values, errors, choices }),
    })}`,
  });
}

/** `T/endpoints/:id` */
const endpoint = tenantPage({
  path: '/endpoints/:id',
  title: 'Endpoint',
  section: 'endpoints',
  get: {
    capability: 'view',
    async answer(context) {
      const { params, t, clock } = context;
      const shown = await readEndpoint(context, params.id);
      const found = shown.endpoint;
      const isAhead = Date.parse(found.effective_at) > clock.nowMs();
      return page({
        title: `Endpoint ${found.description || withoutScheme(found.url)}`,
        heading: html`<bdi class="url">${found.url}</bdi> ${statusBadge(endpointStatus(found, shown.health))}`,
        subtitle: html`${found.description !== '' && html`<bdi>${found.description}</bdi> · `}${wholeId(found.id)} · created ${time(found.created_at)}`,
        crumbs: crumbsTo(t, 'endpoints'),
        actions: actions(context, found, shown.health),
        ...(isAhead && { islands: ['counts-from'] }),
        body: html`${isAhead && html`<p class="note">Its last change counts for events that are accepted from ${countsFrom(found)} on.</p>`}${endpointPage(shown, context)}`,
      });
    },
  },
});

const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '');

/** A frequent action is a button, and one that can't be undone a link behind it. A page asks before it. */
function actions(
  context: TenantContext,
  { id, disabled_at: disabledAt, paused_at: pausedAt }: Endpoint,
  health: Pick<EndpointHealth, 'breaker'> | undefined,
): Html {
  const { t, can } = context;
  const at = (what: string): string => `${t}/endpoints/${id}/${what}`;
  const link = (what: string, label: string): Html => html`<a class="button" href="${at(what)}">${label}</a>`;
  const form = (what: string, submit: string): Html => postForm(context, { action: at(what), submit, isInline: true });
  const isDisabled = disabledAt !== null;
  const isPaused = pausedAt !== null;
  const mayChange = can('write', 'endpoints');
  const isHeldBack = health?.breaker?.state === 'open';
  return html`${mayChange && isDisabled && form('enable', 'Enable')}${mayChange && !isDisabled && isPaused && form('resume', 'Resume')}
${mayChange && !isDisabled && !isPaused && isHeldBack && form('probe', 'Probe now')}${mayChange && !isDisabled && !isPaused && link('test', 'Send a test')}${mayChange && !isDisabled && link('pause', isPaused ? 'Move the end of the pause' : 'Pause')}
${can('write', 'replay') && !isDisabled && link('recover', 'Recover')}${mayChange && link('edit', 'Edit')}${can('write', 'secrets') && link('rotate', 'Rotate secret')}
${mayChange && !isDisabled && link('disable', 'Disable')}${mayChange && html`<a class="button danger" href="${at('delete')}">Delete</a>`}`;
}

/** `T/endpoints`, and what is below it. */
export const endpointPages: readonly Page[] = [
  endpoints,
  newEndpoint,
  endpoint,
  editEndpoint,
  testEndpoint,
  pauseEndpoint,
  ...buttonPages,
  disableEndpoint,
  recoverEndpoint,
  rotateSecret,
  deleteEndpoint,
];
