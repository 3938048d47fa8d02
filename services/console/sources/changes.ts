import type { Source } from '#lib/api-contract';
import { html } from '#lib/html';
import { isGone } from '../api-calls/calls.ts';
import { type FieldError, valueOf } from '../api-calls/console-api.ts';
import { afterChange, formAgain } from '../after-change.ts';
import { page, type PageResult, seeOther } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { bothVersions, differing } from '../ui/diff.ts';
import { enteredIn, errorSummary, postForm, selectField, textField } from '../ui/form.ts';
import { codeBlock } from '../ui/text.ts';
import { time } from '../ui/times.ts';
import { formOfSource, hasOlderDefault, patchOf, readSourceForm, sourceFields } from './form.ts';
import { sourceOf } from './read.ts';
import { schemeSetups } from './scheme-setup.ts';
import { crumbsOf, headOf } from './views.ts';

/** `T/sources/:id/edit`: saves only over the version that was shown. */
export const editSource = tenantPage({
  path: '/sources/:id/edit',
  title: 'Edit a source',
  section: 'sources',
  get: {
    scope: 'write',
    async answer(context) {
      const { source, etag } = await readCurrent(context);
      return showEdit(context, { source, etag, values: formOfSource(source) });
    },
  },
  post: {
    async answer(context) {
      const { api, form, params, t } = context;
      const { source, etag: current } = await readCurrent(context);
      const etag = form.get('etag') ?? '';
      form.delete('etag');
      const body = JSON.stringify(patchOf(readSourceForm(form, source.scheme), source, form));
      const saved = `${t}/sources/${source.id}`;
      return afterChange(
        api.change('PATCH /v1/sources/:id', { params, body, ...(etag !== '' && { ifMatch: etag }) }),
        () => saved,
        (failure) => {
          if (failure.kind !== 'problem' || failure.status !== 412)
            return formAgain(failure, (errors) => showEdit(context, { source, etag, values: form, errors }));
          return differing(form, formOfSource(source)).length === 0
            ? seeOther(saved)
            : showEdit(context, { source, etag: current, values: form, isOvertaken: true });
        },
      );
    },
  },
});

async function readCurrent({ api, params }: TenantContext<'/:id'>) {
  const asked = await api.ask('GET /v1/sources/:id', { params });
  return { source: valueOf(asked), etag: asked.ok ? asked.etag : undefined };
}

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
  const { scheme } = source;
  return page({
    title: `Edit ${source.name}`,
    status: isOvertaken ? 412 : errors.length > 0 ? 400 : 200,
    crumbs: crumbsOf(source, context.t),
    body: html`${errorSummary(errors)}${isOvertaken && bothVersions(values, formOfSource(source))}${postForm(context, {
      action: `${context.t}/sources/${source.id}/edit`,
      submit: 'Save',
      hidden: { etag },
      body: sourceFields({ scheme, values, errors, isEdited: true, hasOlderDefault: hasOlderDefault(source) }),
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
const usualOverlap = '86400';

/** `T/sources/:id/rotate`: another secret, with a time in which both are valid. */
export const rotateSource = tenantPage({
  path: '/sources/:id/rotate',
  title: 'Rotate the secret of a source',
  section: 'sources',
  get: { scope: 'write', answer: async (context) => showRotation(context, await sourceOf(context)) },
  post: {
    async answer(context) {
      const { api, form, params, t } = context;
      const source = await sourceOf(context);
      const secret = form.get('secret') || undefined;
      const overlap = Number(form.get('overlap_seconds') ?? usualOverlap);
      const rotated = await api.change('POST /v1/sources/:id/rotate-secret', {
        params,
        body: { overlap_seconds: overlap, ...(secret !== undefined && { secret }) },
      });
      if (!rotated.ok) return formAgain(rotated.failure, (errors) => showRotation(context, source, form, errors));
      const { secret: inForce, previous_expires_at: until } = rotated.value;
      return page({
        status: 201,
        title: 'The secret is rotated',
        crumbs: crumbsOf(source, t),
        actions: html`<a class="button primary" href="${t}/sources/${source.id}">To the source</a>`,
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

function showRotation(
  context: TenantContext,
  source: Source,
  values = new URLSearchParams(),
  errors: readonly FieldError[] = [],
): PageResult {
  const { secretFrom, provider, secret } = schemeSetups[source.scheme];
  const entered = enteredIn(values, errors);
  const whose = secretFrom === 'here' ? '' : `That of ${provider}: ${secret}. `;
  return page({
    ...headOf(source, context.t),
    title: 'Rotate the secret',
    status: errors.length > 0 ? 400 : 200,
    body: html`${errorSummary(errors)}${postForm(context, {
      action: `${context.t}/sources/${source.id}/rotate`,
      submit: 'Rotate the secret',
      body: html`${textField({
        ...entered('secret'),
        label: 'New secret',
        hint: `${whose}Empty: a new one is made, and shown once.`,
      })}${selectField({
        ...entered('overlap_seconds', usualOverlap),
        label: 'The former secret stays valid for',
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
      const source = await sourceOf(context);
      const href = `${context.t}/sources/${source.id}`;
      return page({
        ...headOf(source, context.t),
        title: 'Delete the source?',
        body: html`<p class="lead">Requests to <code>${source.ingest_url}</code> get a 410 from then on. The source’s events stay. The source can’t be restored.</p>
<div class="buttons">${postForm(context, { action: `${href}/delete`, submit: 'Delete the source', tone: 'danger', isInline: true })}<a class="button" href="${href}">Keep it</a></div>`,
      });
    },
  },
  post: {
    answer: ({ api, params, t }) =>
      afterChange(
        api.change('DELETE /v1/sources/:id', { params }),
        () => `${t}/sources`,
        // Sent twice, it is deleted already.
        (failure) => (isGone(failure) ? seeOther(`${t}/sources`) : problemOfFailure(failure)),
      ),
  },
});
