import { answerRefusal } from '#client';
import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { page, type PageResult } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { actionPage } from '../../pages/endpoints/action-page.ts';
import { secretPage } from '../../pages/endpoints/secret-page.ts';
import { selectField, textField } from '../../parts/fields.ts';
import { time } from '../../parts/time.ts';
import type { Endpoint } from './endpoint.ts';

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
      const rotated = await api.send<{ secret: string; previous_expires_at: string | null }>(
        'POST',
        path`/endpoints/${params.id}/rotate-secret`,
        { body: { ...(overlap !== '' && { overlap_seconds: Number(overlap) }), ...(secret !== '' && { secret }) } },
      );
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
    endpoint: await context.api.get<Endpoint>(path`/endpoints/${id}`),
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
