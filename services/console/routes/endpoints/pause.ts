import { answerRefusal } from '#client';
import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { type PageResult, seeOther } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { actionPage } from '../../pages/endpoints/action-page.ts';
import { selectField, textField } from '../../parts/fields.ts';
import type { Endpoint } from './endpoint.ts';

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
      const done = await api.send('POST', path`/endpoints/${params.id}/pause`, { body: { until } });
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
    endpoint: await context.api.get<Endpoint>(path`/endpoints/${id}`),
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
