import { ApiError } from '#client';
import { html } from '#lib/html';
import type { FieldError, ReadApi } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { page, type PageResult, seeOther } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { type Conflict, conflictOf, conflictView } from '../../pages/endpoints/conflict.ts';
import { fieldsFor, fieldsNotShown } from '../../pages/endpoints/endpoint-form.ts';
import { formErrors } from '../../pages/endpoints/field-errors.ts';
import { type FormValues, valuesOfEndpoint, valuesOfForm } from '../../pages/endpoints/form-values.ts';
import { patchBody } from '../../pages/endpoints/settings-body.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { postForm } from '../../parts/form.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import type { Endpoint } from './endpoint.ts';
import { readChoices } from './read-choices.ts';

/** The state of an endpoint that a form began with. */
interface Current {
  endpoint: Endpoint;
  etag: string;
}

/**
 * `T/endpoints/:id/edit`. The form carries the ETag of what it shows, and that itself. If the endpoint is another by then, nothing is saved: the
 * form comes again with what both have changed, and with the new ETag.
 */
export const editEndpoint = tenantPage({
  path: '/endpoints/:id/edit',
  title: 'Edit endpoint',
  section: 'endpoints',
  get: {
    scope: 'write',
    capability: 'endpoints',
    async answer(context) {
      const current = await readCurrent(context.api, context.params.id);
      return showForm(context, current, { values: valuesOfEndpoint(current.endpoint) });
    },
  },
  post: {
    capability: 'endpoints',
    async answer(context) {
      const { api, params, t, form } = context;
      const current = await readCurrent(api, params.id);
      const values = { ...valuesOfForm(form), ...fieldsNotShown(context, valuesOfEndpoint(current.endpoint)) };
      const patch = patchBody(values, valuesOfEndpoint(current.endpoint));
      const saved = `${t}/endpoints/${params.id}`;
      // Also the second of a double click, which finds its own change.
      if (patch.ok && Object.keys(patch.body).length === 0) return seeOther(saved);
      if (form.get('etag') !== current.etag) return showConflict(context, current, values);
      if (!patch.ok) return showForm(context, current, { values, errors: patch.errors });
      const answer = await api.send('PATCH', path`/endpoints/${params.id}`, {
        body: patch.body,
        ifMatch: current.etag,
      });
      if (answer.ok) return seeOther(saved);
      const { failure } = answer;
      if (failure.kind === 'problem' && failure.status === 412)
        return showConflict(context, await readCurrent(api, params.id), values);
      const errors = formErrors(failure, context);
      return errors === undefined ? problemOfFailure(failure) : showForm(context, current, { values, errors });
    },
  },
});

async function readCurrent(api: ReadApi, id: string): Promise<Current> {
  const asked = await api.ask<Endpoint>(path`/endpoints/${id}`);
  if (!asked.ok) throw new ApiError(asked.failure);
  return { endpoint: asked.value, etag: asked.etag ?? '' };
}

const openedField = 'opened';

function showConflict(
  context: TenantContext & { form: URLSearchParams },
  current: Current,
  yours: FormValues,
): Promise<PageResult> {
  const theirs = valuesOfEndpoint(current.endpoint);
  const conflict = conflictOf({ opened: readOpened(context.form, theirs), yours, theirs });
  return showForm(context, current, { values: conflict.values, conflict });
}

/** The values that the form began with; without them, as if nobody else had changed anything. */
function readOpened(form: URLSearchParams, otherwise: FormValues): FormValues {
  try {
    const read = JSON.parse(form.get(openedField) ?? '') as unknown;
    const opened = Object.entries(typeof read === 'object' && read !== null ? read : {});
    return { ...otherwise, ...Object.fromEntries(opened.filter(([, value]) => typeof value === 'string')) };
  } catch {
    return otherwise;
  }
}

interface Shown {
  values: FormValues;
  errors?: readonly FieldError[];
  conflict?: Conflict;
}

async function showForm(
  context: TenantContext,
  { endpoint, etag }: Current,
  { values, errors = [], conflict }: Shown,
): Promise<PageResult> {
  const { t } = context;
  const choices = await readChoices(context);
  const here = `${t}/endpoints/${endpoint.id}`;
  return page({
    status: conflict !== undefined ? 412 : errors.length > 0 ? 400 : 200,
    title: 'Edit endpoint',
    subtitle: html`<bdi class="url">${endpoint.url}</bdi>`,
    crumbs: [
      { label: 'Endpoints', href: `${t}/endpoints` },
      { label: endpoint.description || endpoint.url, href: here },
    ],
    body: html`${conflict !== undefined && conflictView(conflict)}${errorSummary(errors)}${postForm(context, {
      action: `${here}/edit`,
      submit: 'Save',
      hidden: { etag, [openedField]: JSON.stringify(valuesOfEndpoint(endpoint)) },
      body: fieldsFor(context, { values, errors, choices, endpoint }),
    })}<p><a href="${here}">Back without saving</a></p>`,
  });
}
