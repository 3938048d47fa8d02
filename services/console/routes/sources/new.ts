import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { withQuery } from '../../api-calls/paths.ts';
import { page, type PageResult } from '../../page-result.ts';
import { type TenantContext, tenantPage } from '../../page.ts';
import { createdSource } from '../../pages/sources/created-source.ts';
import { schemeChoice } from '../../pages/sources/scheme-choice.ts';
import { schemeNamed, schemeSetups } from '../../pages/sources/scheme-setup.ts';
import { sourceFields } from '../../pages/sources/source-fields.ts';
import { readSourceForm, withoutNulls } from '../../pages/sources/source-form.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { postForm } from '../../parts/form.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import type { SourceWithSecret } from './source.ts';

/** `T/sources/new`: first the scheme, then what it needs. */
export const newSource = tenantPage({
  path: '/sources/new',
  title: 'New source',
  section: 'sources',
  get: {
    scope: 'write',
    query: ['scheme'],
    answer: (context) => show(context, new URLSearchParams()),
  },
  post: {
    query: ['scheme'],
    async answer(context) {
      const { api, form, query, t } = context;
      const scheme = schemeNamed(query.get('scheme'));
      if (scheme === undefined) return show(context, form);
      const secret = form.get('secret') || undefined;
      const body = withoutNulls({ ...readSourceForm(form, scheme), scheme, ...(secret !== undefined && { secret }) });
      const made = await api.send<SourceWithSecret>('POST', '/sources', { body });
      if (made.ok) return page(createdSource(made.value, { t, isOwnSecret: secret !== undefined }));
      const { failure } = made;
      if (failure.kind === 'problem' && failure.status === 400) return show(context, form, failure.problem.errors);
      return problemOfFailure(failure);
    },
  },
});

function show(context: TenantContext, values: URLSearchParams, errors: readonly FieldError[] = []): PageResult {
  const { t, query } = context;
  const href = `${t}/sources/new`;
  const crumbs = [{ label: 'Sources', href: `${t}/sources` }];
  const scheme = schemeNamed(query.get('scheme'));
  if (scheme === undefined)
    return page({
      ...{ title: 'New source', crumbs },
      ...(query.has('scheme') && { status: 400 as const }),
      body: html`${query.has('scheme') && errorSummary([{ field: '', message: 'There is no such scheme. Choose one of these.' }])}${schemeChoice(href)}`,
    });
  return page({
    ...{ title: `New source: ${schemeSetups[scheme].provider}` },
    ...(errors.length > 0 && { status: 400 as const }),
    crumbs: [...crumbs, { label: 'Schemes', href }],
    body: html`${errorSummary(errors)}${postForm(context, {
      action: withQuery(href, { scheme }),
      submit: 'Create the source',
      body: sourceFields({ scheme, values, errors, isEdited: false }),
    })}`,
  });
}
