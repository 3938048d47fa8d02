import { html } from '#lib/html';
import { type FieldError, valueOf } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { page, type PageResult, seeOther } from '../../page-result.ts';
import { type TenantContext, tenantPage } from '../../page.ts';
import { sourceFields } from '../../pages/sources/source-fields.ts';
import { formOfSource, hasOlderDefault, patchOf, readSourceForm } from '../../pages/sources/source-form.ts';
import { bothVersions, differing } from '../../parts/both-versions.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { postForm } from '../../parts/form.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import type { Source } from './source.ts';

/** `T/sources/:id/edit`: saves only over the version that was shown. */
export const editSource = tenantPage({
  path: '/sources/:id/edit',
  title: 'Edit a source',
  section: 'sources',
  get: {
    scope: 'write',
    async answer(context) {
      const asked = await context.api.ask<Source>(path`/sources/${context.params.id}`);
      const source = valueOf(asked);
      return showEdit(context, { source, etag: asked.ok ? asked.etag : undefined, values: formOfSource(source) });
    },
  },
  post: {
    async answer(context) {
      const { api, form, params, t } = context;
      const at = path`/sources/${params.id}`;
      const asked = await api.ask<Source>(at);
      const source = valueOf(asked);
      const etag = form.get('etag') ?? '';
      form.delete('etag');
      const body = patchOf(readSourceForm(form, source.scheme), source, form);
      const saved = await api.send<Source>('PATCH', at, { body, ...(etag !== '' && { ifMatch: etag }) });
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

function showEdit(context: TenantContext, { source, etag, values, errors = [], isOvertaken = false }: ShownEdit): PageResult {
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
        ...{ scheme: source.scheme, values, errors, isEdited: true },
        hasOlderDefault: hasOlderDefault(source),
      }),
    })}`,
  });
}
