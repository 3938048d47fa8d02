import { html, type Html } from '#lib/html';
import { isGone } from '../api-calls/calls.ts';
import { afterChange } from '../after-change.ts';
import { page, seeOther } from '../page-result.ts';
import { type Page, type TenantContext, type TenantFormContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { crumbsTo } from '../sections.ts';
import { selectField, textField } from '../ui/form.ts';
import { codeBlock } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { actionPage, answerRefusal, type Refusal } from './action-page.ts';

/** A secret that is shown this once, and what it is for. @param href the endpoint's page */
export const secretPage = (about: Html, secret: string, href: string): Html => html`<div class="card">${about}
<h2>Signing secret</h2>${codeBlock(secret)}
<p class="note note-warn">Copy it now: only this page shows it. It is stored encrypted, and never shown again.</p>
<p>Give it to the receiver. It verifies <code>webhook-signature</code> with any library of Standard Webhooks, or by hand:</p>
${codeBlock('hookline verify --scheme standard-webhooks --secret "$SECRET" --header "webhook-id: …" --header "webhook-timestamp: …" --header "webhook-signature: …" --body-file body')}
<p><a class="button primary" href="${href}">To the endpoint</a></p></div>`;

type Context = TenantContext<'/:id'>;
type FormContext = TenantFormContext<'/:id'>;

const endpointHref = ({ t, params }: Context) => `${t}/endpoints/${params.id}`;

/** Disabling and deleting: what can’t be undone without a trace is asked before. */
const askFirst = (context: Context, given: Parameters<typeof actionPage>[1]) =>
  actionPage(context, { ...given, isDangerous: true });

/** A change that needs no more than a button, and comes back to the endpoint's page. */
const change = (what: 'disable' | 'enable' | 'resume' | 'probe') =>
  ({
    capability: 'endpoints',
    answer(context: FormContext) {
      const done = context.api.change(`POST /v1/endpoints/:id/${what}`, { params: context.params });
      return afterChange(done, () => endpointHref(context));
    },
  }) as const;

/** `T/endpoints/:id/disable` */
export const disableEndpoint = tenantPage({
  path: '/endpoints/:id/disable',
  title: 'Disable endpoint',
  section: 'endpoints',
  get: {
    scope: 'write',
    capability: 'endpoints',
    answer: (context) =>
      askFirst(context, {
        about: html`Nothing more is sent to it, and deliveries that wait become dead letters. It can be enabled again, and its dead letters recovered. To hold deliveries back for some time, pause it instead.`,
        action: 'disable',
        submit: 'Disable',
      }),
  },
  post: change('disable'),
});

/** `T/endpoints/:id/delete` */
export const deleteEndpoint = tenantPage({
  path: '/endpoints/:id/delete',
  title: 'Delete endpoint',
  section: 'endpoints',
  get: {
    scope: 'write',
    capability: 'endpoints',
    answer: (context) =>
      askFirst(context, {
        about: html`Deliveries that wait are cancelled, and nothing more is sent to it. It does not come back: its page will say that it is gone. Its past deliveries stay.`,
        action: 'delete',
        submit: 'Delete for ever',
      }),
  },
  post: {
    capability: 'endpoints',
    answer(context) {
      const href = endpointHref(context);
      const done = context.api.change('DELETE /v1/endpoints/:id', { params: context.params });
      // The page of the endpoint says 410 from now on.
      return afterChange(
        done,
        () => href,
        (failure) => (isGone(failure) ? seeOther(href) : problemOfFailure(failure)),
      );
    },
  },
});

/** `T/endpoints/:id/resume`, and so on: they take one button of the endpoint's page. */
export const buttonPages: readonly Page[] = (['resume', 'probe', 'enable'] as const).map((what) =>
  tenantPage({ path: `/endpoints/:id/${what}`, title: 'Endpoint', section: 'endpoints', post: change(what) }),
);

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
  get: {
    scope: 'write',
    capability: 'endpoints',
    answer: (context) => showPause(context, { until: '', chosen: usualLength }),
  },
  post: {
    capability: 'endpoints',
    answer(context) {
      const { api, params, form, clock } = context;
      const until = (form.get('until') ?? '').trim();
      const chosen = lengths.find(({ value }) => value === form.get('length'))?.value ?? usualLength;
      const end = until === '' ? new Date(clock.nowMs() + Number(chosen) * 1_000).toISOString() : until;
      return afterChange(
        api.change('POST /v1/endpoints/:id/pause', { params, body: { until: end } }),
        () => endpointHref(context),
        (failure) => answerRefusal(context, failure, (refusal) => showPause(context, { until, chosen, ...refusal })),
      );
    },
  },
});

const showPause = (
  context: Context,
  { until, chosen, errors = [], refused }: { until: string; chosen: string } & Refusal,
) =>
  actionPage(context, {
    errors,
    refused,
    about: html`Nothing is sent to a paused endpoint, tests included. Its deliveries wait, their deadlines move by the time of the pause, and at its end they are sent, oldest first.`,
    action: 'pause',
    submit: 'Pause',
    fields: html`${selectField({ name: 'length', label: 'For', options: lengths, value: chosen })}
${textField({ name: 'until', label: 'Or until', hint: 'An instant such as 2026-01-31T09:30:00Z, at most 14 days after the pause began.', value: until, errors })}`,
  });

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
  get: {
    scope: 'write',
    capability: 'secrets',
    answer: (context) => showRotation(context, { overlap: '86400', secret: '' }),
  },
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
        return answerRefusal(context, rotated.failure, (refusal) =>
          showRotation(context, { overlap, secret, ...refusal }),
        );
      const { secret: inForce, previous_expires_at: until } = rotated.value;
      const href = endpointHref(context);
      return page({
        status: 201,
        title: 'New secret',
        crumbs: crumbsTo(t, 'endpoints', { label: 'Endpoint', href }),
        body: secretPage(
          until === null
            ? html`<p>Deliveries are signed with this secret alone, within seconds.</p>`
            : html`<p>Deliveries are signed with both secrets until ${time(until)}, then with this one alone.</p>`,
          inForce,
          href,
        ),
      });
    },
  },
});

const showRotation = (
  context: Context,
  { overlap, secret, errors = [], refused }: { overlap: string; secret: string } & Refusal,
) =>
  actionPage(context, {
    errors,
    refused,
    about: html`Makes a new signing secret. During the overlap each delivery is signed with the old and the new one, so that the receiver can change over without a gap.`,
    action: 'rotate',
    submit: 'Rotate secret',
    fields: html`${selectField({ name: 'overlap_seconds', label: 'Overlap', options: overlaps, value: overlap, errors })}
${textField({ name: 'secret', label: 'Your own secret', type: 'password', hint: 'Empty: a new one is made.', value: secret, errors })}`,
  });
