import type { Endpoint, ReplayPreview } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { countsOf, withQuery } from '../api-calls/calls.ts';
import type { FieldError } from '../api-calls/console-api.ts';
import { afterChange } from '../after-change.ts';
import type { PageResult } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { numberIn, postForm, textField } from '../ui/form.ts';
import { count, inWords, plural } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { actionOn, answerRefusal, type Refusal, refusablePage } from './action-page.ts';

interface Entered extends Refusal {
  since: string;
  rate?: string;
}

const dayMs = 24 * 3_600_000;
/** Protects a receiver that has just recovered. */
const usualRate = '10';

/** `T/endpoints/:id/recover`: what has died since a time is counted first, then sent again. */
export const recoverEndpoint = tenantPage({
  path: '/endpoints/:id/recover',
  title: 'Recover endpoint',
  section: 'endpoints',
  get: {
    scope: 'write',
    capability: 'replay',
    query: ['since'],
    answer: async (context) => {
      const { api, params, query, clock } = context;
      const endpoint = await api.call('GET /v1/endpoints/:id', { params });
      const usual = endpoint.failing_since ?? new Date(clock.nowMs() - dayMs).toISOString();
      return showForm(context, endpoint, { since: query.get('since') ?? usual });
    },
  },
  post: {
    capability: 'replay',
    answer(context) {
      const { api, params, t, form } = context;
      const since = (form.get('since') ?? '').trim();
      const rate = (form.get('rate_per_second') ?? '').trim();
      const body = JSON.stringify({ since, ...(rate !== '' && { rate_per_second: numberIn(rate) }) });
      return afterChange(
        api.change('POST /v1/endpoints/:id/recover', { params, body }),
        ({ id }) => `${t}/replays/${id}`,
        (failure) =>
          answerRefusal(context, failure, async (refusal) =>
            showForm(context, await api.call('GET /v1/endpoints/:id', { params }), { since, rate, ...refusal }),
          ),
      );
    },
  },
});

async function showForm(context: TenantContext, endpoint: Endpoint, entered: Entered): Promise<PageResult> {
  const { t, api, isCustomer } = context;
  const { since, rate = usualRate, errors: wrong = [] } = entered;
  // Customers are not told of dead letters: all of them are sent.
  if (isCustomer)
    return actionOn(endpoint, context, {
      ...entered,
      about: html`Resends the deliveries that failed for good since the given time, oldest first.`,
      action: 'recover',
      submit: 'Send them again',
      fields: html`${sinceField(since, wrong)}${rateField(rate, wrong)}`,
    });
  const body = { stage: 'dispatcher', endpoint_id: endpoint.id, since, dry_run: true } as const;
  const counted = await countsOf(api.query('POST /v1/dead-letters/replay', { body }));
  const uncounted = counted.ok || counted.failure.kind !== 'problem' ? [] : (counted.failure.problem.errors ?? []);
  const errors = wrong.length > 0 ? wrong : uncounted;
  const here = `${t}/endpoints/${endpoint.id}`;
  return refusablePage(
    t,
    endpoint,
    { ...entered, errors },
    html`<div class="card"><p>Resends the deliveries that became dead letters since the given time, oldest first.</p>
<form class="stack" action="${here}/recover">${sinceField(since, errors)}<button>Count them</button></form></div>
${counted.ok && startForm(context, endpoint, { ...entered, errors }, counted.value)}
<p><a href="${here}">Back to the endpoint</a></p>`,
  );
}

const sinceField = (since: string, errors: readonly FieldError[]): Html =>
  textField({ name: 'since', label: 'Since', value: since, hint: 'An instant such as 2026-01-31T09:30:00Z.', errors });

const rateField = (rate: string, errors: readonly FieldError[]): Html =>
  textField({
    name: 'rate_per_second',
    label: 'At most, per second',
    value: rate,
    hint: 'Empty: as fast as the endpoint takes them.',
    errors,
  });

function startForm(
  context: TenantContext,
  endpoint: Endpoint,
  { since, rate = usualRate, errors = [] }: Entered,
  { matched, by_reason: reasons }: ReplayPreview,
): Html {
  if (matched === 0)
    return html`<div class="card"><p>No delivery to this endpoint has become a dead letter since ${time(since)}.</p></div>`;
  const { t } = context;
  const list = withQuery(`${t}/dead-letters`, { endpoint_id: endpoint.id, since });
  return html`<div class="card"><p><a href="${list}">${plural(matched, 'dead letter')}</a> since ${time(since)}: ${reasons.map(({ reason, letters }) => `${letters} ${inWords(reason)}`).join(', ')}.</p>
${
  endpoint.disabled_at !== null
    ? html`<p class="note note-warn">The endpoint is disabled: enable it first.</p>`
    : postForm(context, {
        action: `${t}/endpoints/${endpoint.id}/recover`,
        submit: matched === 1 ? 'Send it again' : `Send ${count(matched)} again`,
        hidden: { since },
        body: rateField(rate, errors),
      })
}</div>`;
}
