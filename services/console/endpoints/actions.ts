import type { Endpoint } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import { isGone } from '../api-calls/calls.ts';
import type { FieldError } from '../api-calls/console-api.ts';
import { page, type PageResult, seeOther } from '../page-result.ts';
import { type Page, type TenantContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { errorSummary, postForm, selectField, textField } from '../ui/form.ts';
import { codeBlock } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { answerRefusal } from './edit.ts';

interface ActionPage {
  endpoint: Endpoint;
  title: string;
  /** The effect of the action, also on deliveries. */
  about: Html;
  /** The last part of the address. */
  action: string;
  submit: string;
  isDangerous?: boolean;
  fields?: Html;
  hidden?: Readonly<Record<string, string>>;
  /** The result of the action before. */
  above?: Html | undefined;
  errors?: readonly FieldError[];
  /** Why it is not possible now, as a sentence. */
  refused?: string | undefined;
}

/** A page that asks before something is done to an endpoint: what, to which one, and what it means. */
export function actionPage(context: TenantContext, given: ActionPage): PageResult {
  const { endpoint, title, about, action, submit, fields, hidden, above, errors = [], refused } = given;
  const here = `${context.t}/endpoints/${endpoint.id}`;
  return page({
    status: refused !== undefined ? 409 : errors.length > 0 ? 400 : 200,
    title,
    subtitle: html`<bdi class="url">${endpoint.url}</bdi>`,
    crumbs: [
      { label: 'Endpoints', href: `${context.t}/endpoints` },
      { label: endpoint.description || endpoint.url, href: here },
    ],
    body: html`${refused !== undefined && html`<p class="note note-bad" role="alert">${refused}</p>`}${errorSummary(errors)}
${above}<div class="card"><p>${about}</p>${postForm(context, {
      action: `${here}/${action}`,
      submit,
      ...(given.isDangerous === true && { tone: 'danger' }),
      ...(fields && { body: fields }),
      ...(hidden && { hidden }),
    })}<p><a href="${here}">Back to the endpoint</a></p></div>`,
  });
}

interface Secret {
  secret: string;
  /** The endpoint's page. */
  href: string;
}

/** A secret that is shown this once, and what it is for. */
export const secretPage = ({ secret, href }: Secret, about: Html): Html => html`<div class="card">${about}
<h2>Signing secret</h2>${codeBlock(secret)}
<p class="note note-warn">Copy it now: only this page shows it. It is stored encrypted, and never shown again.</p>
<p>Give it to the receiver. It verifies <code>webhook-signature</code> with any library of Standard Webhooks, or by hand:</p>
${codeBlock('hookline verify --scheme standard-webhooks --secret "$SECRET" --header "webhook-id: …" --header "webhook-timestamp: …" --header "webhook-signature: …" --body-file body')}
<p><a class="button primary" href="${href}">To the endpoint</a></p></div>`;

/** Disabling and deleting: what can’t be undone without a trace is asked before. */

/** `T/endpoints/:id/disable` */
export const disableEndpoint = tenantPage({
  path: '/endpoints/:id/disable',
  title: 'Disable endpoint',
  section: 'endpoints',
  get: {
    scope: 'write',
    capability: 'endpoints',
    answer: async (context) =>
      actionPage(context, {
        endpoint: await context.api.call('GET /v1/endpoints/:id', { params: context.params }),
        title: 'Disable endpoint',
        about: html`Nothing more is sent to it, and deliveries that wait become dead letters. It can be enabled again, and its dead letters recovered. To hold deliveries back for some time, pause it instead.`,
        action: 'disable',
        submit: 'Disable',
        isDangerous: true,
      }),
  },
  post: {
    capability: 'endpoints',
    async answer({ api, params, t }) {
      const done = await api.change('POST /v1/endpoints/:id/disable', { params });
      return done.ok ? seeOther(`${t}/endpoints/${params.id}`) : problemOfFailure(done.failure);
    },
  },
});

/** `T/endpoints/:id/delete` */
export const deleteEndpoint = tenantPage({
  path: '/endpoints/:id/delete',
  title: 'Delete endpoint',
  section: 'endpoints',
  get: {
    scope: 'write',
    capability: 'endpoints',
    answer: async (context) =>
      actionPage(context, {
        endpoint: await context.api.call('GET /v1/endpoints/:id', { params: context.params }),
        title: 'Delete endpoint',
        about: html`Deliveries that wait are cancelled, and nothing more is sent to it. It does not come back: its page will say that it is gone. Its past deliveries stay.`,
        action: 'delete',
        submit: 'Delete for ever',
        isDangerous: true,
      }),
  },
  post: {
    capability: 'endpoints',
    async answer({ api, params, t }) {
      const done = await api.change('DELETE /v1/endpoints/:id', { params });
      // The page of the endpoint says 410 from now on.
      return done.ok || isGone(done.failure) ? seeOther(`${t}/endpoints/${params.id}`) : problemOfFailure(done.failure);
    },
  },
});

/** The actions on an endpoint that take one button, and come back to its page. */

const button = (what: 'enable' | 'resume' | 'probe'): Page =>
  tenantPage({
    path: `/endpoints/:id/${what}`,
    title: 'Endpoint',
    section: 'endpoints',
    post: {
      capability: 'endpoints',
      async answer({ api, params, t }) {
        const done = await api.change(`POST /v1/endpoints/:id/${what}`, { params });
        return done.ok ? seeOther(`${t}/endpoints/${params.id}`) : problemOfFailure(done.failure);
      },
    },
  });

export const enableEndpoint = button('enable');
export const resumeEndpoint = button('resume');
export const probeEndpoint = button('probe');

const lengths = [
  { value: '3600', label: '1 hour' },
  { value: '14400', label: '4 hours' },
  { value: '86400', label: '1 day' },
  { value: '259200', label: '3 days' },
  { value: '604800', label: '7 days' },
];
const usualLength = '86400';

/** `T/endpoints/:id/pause` */
export const pauseEndpoint = tenantPage({
  path: '/endpoints/:id/pause',
  title: 'Pause endpoint',
  section: 'endpoints',
  get: { scope: 'write', capability: 'endpoints', answer: (context) => showPause(context, context.params.id) },
  post: {
    capability: 'endpoints',
    async answer(context) {
      const { api, params, t, form, clock } = context;
      const entered = (form.get('until') ?? '').trim();
      const chosen = lengths.find(({ value }) => value === form.get('length'))?.value ?? usualLength;
      const until = entered === '' ? new Date(clock.nowMs() + Number(chosen) * 1_000).toISOString() : entered;
      const done = await api.change('POST /v1/endpoints/:id/pause', { params, body: { until } });
      if (done.ok) return seeOther(`${t}/endpoints/${params.id}`);
      return answerRefusal(context, done.failure, (more) =>
        showPause(context, params.id, { until: entered, chosen, ...more }),
      );
    },
  },
});

interface EnteredPause {
  until: string;
  chosen: string;
  errors?: readonly FieldError[];
  refused?: string;
}

async function showPause(
  context: TenantContext,
  id: string,
  { until, chosen, errors = [], refused }: EnteredPause = { until: '', chosen: usualLength },
): Promise<PageResult> {
  return actionPage(context, {
    endpoint: await context.api.call('GET /v1/endpoints/:id', { params: { id } }),
    title: 'Pause endpoint',
    about: html`Nothing is sent to a paused endpoint, tests included. Its deliveries wait, their deadlines move by the time of the pause, and at its end they are sent, oldest first.`,
    action: 'pause',
    submit: 'Pause',
    errors,
    refused,
    fields: html`${selectField({ name: 'length', label: 'For', options: lengths, value: chosen })}
${textField({ name: 'until', label: 'Or until', hint: 'An instant such as 2026-01-31T09:30:00Z, at most 14 days after the pause began.', value: until, errors })}`,
  });
}

const overlaps = [
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
  { value: '3600', label: '1 hour' },
  { value: '0', label: 'none: the old one has leaked' },
];

/** `T/endpoints/:id/rotate`. Its answer alone shows the new secret; a reload of it shows the same. */
export const rotateSecret = tenantPage({
  path: '/endpoints/:id/rotate',
  title: 'Rotate secret',
  section: 'endpoints',
  get: { scope: 'write', capability: 'secrets', answer: (context) => showRotation(context, context.params.id, {}) },
  post: {
    capability: 'secrets',
    async answer(context) {
      const { api, params, t, form } = context;
      const overlap = form.get('overlap_seconds') ?? '';
      const secret = (form.get('secret') ?? '').trim();
      const rotated = await api.change('POST /v1/endpoints/:id/rotate-secret', {
        params,
        body: { ...(overlap !== '' && { overlap_seconds: Number(overlap) }), ...(secret !== '' && { secret }) },
      });
      if (!rotated.ok)
        return answerRefusal(context, rotated.failure, (more) =>
          showRotation(context, params.id, { overlap, secret, ...more }),
        );
      const { previous_expires_at: until } = rotated.value;
      const href = `${t}/endpoints/${params.id}`;
      return page({
        status: 201,
        title: 'New secret',
        crumbs: [
          { label: 'Endpoints', href: `${t}/endpoints` },
          { label: 'Endpoint', href },
        ],
        body: secretPage(
          { secret: rotated.value.secret, href },
          until === null
            ? html`<p>Deliveries are signed with this secret alone, within seconds.</p>`
            : html`<p>Deliveries are signed with both secrets until ${time(until)}, then with this one alone.</p>`,
        ),
      });
    },
  },
});

interface EnteredRotation {
  overlap?: string;
  secret?: string;
  errors?: readonly FieldError[];
  refused?: string;
}

async function showRotation(
  context: TenantContext,
  id: string,
  { overlap = '86400', secret = '', errors = [], refused }: EnteredRotation,
): Promise<PageResult> {
  return actionPage(context, {
    endpoint: await context.api.call('GET /v1/endpoints/:id', { params: { id } }),
    title: 'Rotate secret',
    about: html`Makes a new signing secret. During the overlap each delivery is signed with the old and the new one, so that the receiver can change over without a gap.`,
    action: 'rotate',
    submit: 'Rotate secret',
    errors,
    refused,
    fields: html`${selectField({ name: 'overlap_seconds', label: 'Overlap', options: overlaps, value: overlap, errors })}
${textField({ name: 'secret', label: 'Your own secret', type: 'password', hint: 'Empty: a new one is made.', value: secret, errors })}`,
  });
}
