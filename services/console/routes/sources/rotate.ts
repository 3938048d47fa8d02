import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { page, type PageResult } from '../../page-result.ts';
import { type TenantContext, tenantPage } from '../../page.ts';
import { schemeSetups } from '../../pages/sources/scheme-setup.ts';
import { codeBlock } from '../../parts/code-block.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { selectField, textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/form.ts';
import { time } from '../../parts/time.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import type { Source } from './source.ts';

const overlaps = [
  { value: '86400', label: 'a day' },
  { value: '3600', label: 'an hour' },
  { value: '604800', label: 'a week' },
  { value: '2592000', label: '30 days' },
  { value: '0', label: 'not at all: it is invalid at once' },
];

/** `T/sources/:id/rotate`: another secret, with a time in which both are valid. */
export const rotateSource = tenantPage({
  path: '/sources/:id/rotate',
  title: 'Rotate the secret of a source',
  section: 'sources',
  get: {
    scope: 'write',
    answer: async (context) => showRotation(context, await sourceOf(context)),
  },
  post: {
    async answer(context) {
      const { api, form, params, t } = context;
      const source = await sourceOf(context);
      const secret = form.get('secret') || undefined;
      const rotated = await api.send<{ secret: string; previous_expires_at: string | null }>(
        'POST',
        path`/sources/${params.id}/rotate-secret`,
        {
          body: {
            overlap_seconds: Number(form.get('overlap_seconds') ?? '86400'),
            ...(secret !== undefined && { secret }),
          },
        },
      );
      if (!rotated.ok) {
        const { failure } = rotated;
        return failure.kind === 'problem' && failure.status === 400
          ? showRotation(context, source, { values: form, errors: failure.problem.errors ?? [] })
          : problemOfFailure(failure);
      }
      const { secret: inForce, previous_expires_at: until } = rotated.value;
      const href = `${t}/sources/${source.id}`;
      return page({
        status: 201,
        title: 'The secret is rotated',
        crumbs: crumbsOf(source, t),
        actions: html`<a class="button primary" href="${href}">To the source</a>`,
        body: html`<p class="note note-good">${
          until === null ? 'The former secrets are invalid.' : html`The former secrets stay valid until ${time(until)}.`
        } The new one is in force within two seconds: give it to the provider after that.</p>${
          secret === undefined &&
          html`<section class="card"><h2>New secret</h2><p>Enter it at the provider now: it is not shown again.</p>${codeBlock(inForce)}</section>`
        }`,
      });
    },
  },
});

const sourceOf = ({ api, params }: TenantContext<'/:id'>): Promise<Source> =>
  api.get<Source>(path`/sources/${params.id}`);

const crumbsOf = ({ id, name }: Source, t: string) => [
  { label: 'Sources', href: `${t}/sources` },
  { label: name, href: `${t}/sources/${id}` },
];

function showRotation(
  context: TenantContext,
  source: Source,
  { values = new URLSearchParams(), errors = [] }: { values?: URLSearchParams; errors?: readonly FieldError[] } = {},
): PageResult {
  const { t } = context;
  const { secretFrom, provider, secret } = schemeSetups[source.scheme];
  return page({
    title: 'Rotate the secret',
    ...(errors.length > 0 && { status: 400 as const }),
    subtitle: html`<bdi>${source.name}</bdi>`,
    crumbs: crumbsOf(source, t),
    body: html`${errorSummary(errors)}${postForm(context, {
      action: `${t}/sources/${source.id}/rotate`,
      submit: 'Rotate the secret',
      body: html`${textField({
        name: 'secret',
        label: 'New secret',
        value: values.get('secret') ?? '',
        errors,
        hint:
          secretFrom === 'here'
            ? 'Empty: a new one is made, and shown once.'
            : `That of ${provider}: ${secret}. Empty: a new one is made, and shown once.`,
      })}${selectField({
        name: 'overlap_seconds',
        label: 'The former secret stays valid for',
        value: values.get('overlap_seconds') ?? '86400',
        errors,
        options: overlaps,
        hint: 'The time in which the provider is given the new one. A secret that others have seen should end at once.',
      })}`,
    })}`,
  });
}
