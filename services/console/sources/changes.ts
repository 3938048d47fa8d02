import type { Source } from '#lib/api-contract';
import { html } from '#lib/html';
import { type FieldError, valueOf } from '../api-calls/console-api.ts';
import { page, type PageResult, seeOther } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { bothVersions, differing } from '../ui/diff.ts';
import { errorSummary, postForm, selectField, textField } from '../ui/form.ts';
import { codeBlock } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { formOfSource, hasOlderDefault, patchOf, readSourceForm, sourceFields } from './form.ts';
import { schemeSetups } from './scheme-setup.ts';

/** `T/sources/:id/edit`: saves only over the version that was shown. */
export const editSource = tenantPage({
  path: '/sources/:id/edit',
  title: 'Edit a source',
  section: 'sources',
  get: {
    scope: 'write',
    async answer(context) {
      const asked = await context.api.ask('GET /v1/sources/:id', { params: context.params });
      const source = valueOf(asked);
      return showEdit(context, { source, etag: asked.ok ? asked.etag : undefined, values: formOfSource(source) });
    },
  },
  post: {
    async answer(context) {
      const { api, form, params, t } = context;
      const asked = await api.ask('GET /v1/sources/:id', { params });
      const source = valueOf(asked);
      const etag = form.get('etag') ?? '';
      form.delete('etag');
      const body = patchOf(readSourceForm(form, source.scheme), source, form);
      const saved = await api.change('PATCH /v1/sources/:id', {
        params,
        body: JSON.stringify(body),
        ...(etag !== '' && { ifMatch: etag }),
      });
      if (saved.ok) return seeOther(`${t}/sources/${source.id}`);
      const { failure } = saved;
      if (failure.kind === 'problem' && failure.status === 400)
        return showEdit(context, { source, etag, values: form, errors: failure.problem.errors ?? [] });
      if (failure.kind === 'problem' && failure.status === 412) {
        if (differing(form, formOfSource(source)).length === 0) return seeOther(`${t}/sources/${source.id}`);
        return showEdit(context, { source, etag: asked.ok ? asked.etag : undefined, values: form, isOvertaken: true });
      }
      return problemOfFailure(failure);
    },
  },
});

interface ShownEdit {
  source: Source;
  /** The version that saving replaces. */
  etag: string | undefined;
  values: URLSearchParams;
  errors?: readonly FieldError[];
  isOvertaken?: boolean;
}

function showEdit(
  context: TenantContext,
  { source, etag, values, errors = [], isOvertaken = false }: ShownEdit,
): PageResult {
  const { t } = context;
  const href = `${t}/sources/${source.id}`;
  return page({
    title: `Edit ${source.name}`,
    status: isOvertaken ? 412 : errors.length > 0 ? 400 : 200,
    crumbs: [
      { label: 'Sources', href: `${t}/sources` },
      { label: source.name, href },
    ],
    body: html`${errorSummary(errors)}${isOvertaken && bothVersions(values, formOfSource(source))}${postForm(context, {
      action: `${href}/edit`,
      submit: 'Save',
      hidden: { etag },
      body: sourceFields({
        scheme: source.scheme,
        values,
        errors,
        isEdited: true,
        hasOlderDefault: hasOlderDefault(source),
      }),
    })}`,
  });
}

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
      const rotated = await api.change('POST /v1/sources/:id/rotate-secret', {
        params,
        body: {
          overlap_seconds: Number(form.get('overlap_seconds') ?? '86400'),
          ...(secret !== undefined && { secret }),
        },
      });
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
  api.call('GET /v1/sources/:id', { params });

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

/** `T/sources/:id/delete`: asks, then deletes. */
export const deleteSource = tenantPage({
  path: '/sources/:id/delete',
  title: 'Delete a source',
  section: 'sources',
  get: {
    scope: 'write',
    async answer(context) {
      const { api, params, t } = context;
      const { id, name, ingest_url: url } = await api.call('GET /v1/sources/:id', { params });
      const href = `${t}/sources/${id}`;
      return page({
        title: 'Delete the source?',
        subtitle: html`<bdi>${name}</bdi>`,
        crumbs: [
          { label: 'Sources', href: `${t}/sources` },
          { label: name, href },
        ],
        body: html`<p class="lead">Requests to <code>${url}</code> get a 410 from then on. The source’s events stay. The source can’t be restored.</p>
<div class="buttons">${postForm(context, { action: `${href}/delete`, submit: 'Delete the source', tone: 'danger', isInline: true })}<a class="button" href="${href}">Keep it</a></div>`,
      });
    },
  },
  post: {
    async answer({ api, params, t }) {
      const deleted = await api.change('DELETE /v1/sources/:id', { params });
      // Sent twice, it is deleted already.
      const isGone = !deleted.ok && deleted.failure.kind === 'problem' && deleted.failure.status === 410;
      return deleted.ok || isGone ? seeOther(`${t}/sources`) : problemOfFailure(deleted.failure);
    },
  },
});
