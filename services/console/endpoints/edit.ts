import { ApiError } from '#client';
import type { Endpoint } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import type { FieldError, ReadApi } from '../api-calls/console-api.ts';
import { page, type PageResult, seeOther } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { errorSummary, postForm } from '../ui/form.ts';
import { table } from '../ui/lists.ts';
import { answerWrongForm, headOf } from './action-page.ts';
import {
  fieldNames,
  fieldsFor,
  fieldsNotShown,
  type FormField,
  formFields,
  type FormValues,
  isSameValue,
  valuesOfEndpoint,
  valuesOfForm,
} from './form.ts';
import { readChoices } from './read.ts';
import { patchBody } from './settings-body.ts';

/** Two people have edited the same endpoint. Neither version is lost: the form has both, and where they disagree, yours; the table shows the other. */

interface Difference {
  name: FormField;
  yours: string;
  theirs: string;
  /** Which of them has changed it. */
  by: 'you' | 'them' | 'both';
}

interface Conflict {
  /** For the form. */
  values: FormValues;
  differences: readonly Difference[];
}

/** @param opened the values that the form began with */
function conflictOf(opened: FormValues, yours: FormValues, theirs: FormValues): Conflict {
  const differing = fieldNames.filter((name) => !isSameValue(name, yours[name], theirs[name]));
  const differences = differing.map((name): Difference => {
    const isYours = !isSameValue(name, yours[name], opened[name]);
    const isTheirs = !isSameValue(name, theirs[name], opened[name]);
    return { name, yours: yours[name], theirs: theirs[name], by: isYours ? (isTheirs ? 'both' : 'you') : 'them' };
  });
  const taken = differences.filter(({ by }) => by === 'them').map(({ name }) => [name, theirs[name]] as const);
  return { values: { ...yours, ...Object.fromEntries(taken) }, differences };
}

const inForm: Readonly<Record<Difference['by'], string>> = {
  you: 'yours: only you changed it',
  them: 'the saved one: you did not change it',
  both: 'yours: both changed it',
};

/** The private key is in the form, and nowhere else on the page. */
const shown = (name: FormField, value: string): Html =>
  value === ''
    ? html`<span class="muted">empty</span>`
    : name === 'client_certificate/private_key'
      ? html`(as entered)`
      : html`<code class="value">${value}</code>`;

const conflictView = ({
  differences,
}: Conflict): Html => html`<div class="error-summary" role="alert" tabindex="-1" autofocus>
<h2>Somebody else has saved this endpoint since you opened it</h2>
<p>Nothing of yours was saved, and nothing is lost. The form has what both of you have changed; where both changed the same, it has yours. Look at it, then save.</p></div>
${table({
  caption: 'Differences between your version and the saved one',
  rows: differences,
  columns: [
    { header: 'Setting', cell: ({ name }) => formFields[name].label },
    { header: 'Yours', cell: ({ name, yours }) => shown(name, yours) },
    { header: 'Saved now', cell: ({ name, theirs }) => shown(name, theirs) },
    { header: 'In the form', cell: ({ by }) => inForm[by] },
  ],
})}`;

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
      const answer = await api.change('PATCH /v1/endpoints/:id', { params, body: patch.body, ifMatch: current.etag });
      if (answer.ok) return seeOther(saved);
      const { failure } = answer;
      if (failure.kind === 'problem' && failure.status === 412)
        return showConflict(context, await readCurrent(api, params.id), values);
      return answerWrongForm(context, failure, (errors) => showForm(context, current, { values, errors }));
    },
  },
});

async function readCurrent(api: ReadApi, id: string): Promise<Current> {
  const asked = await api.ask('GET /v1/endpoints/:id', { params: { id } });
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
  const conflict = conflictOf(readOpened(context.form, theirs), yours, theirs);
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
  const choices = await readChoices(context);
  const here = `${context.t}/endpoints/${endpoint.id}`;
  return page({
    ...headOf(endpoint, context.t),
    status: conflict !== undefined ? 412 : errors.length > 0 ? 400 : 200,
    body: html`${conflict !== undefined && conflictView(conflict)}${errorSummary(errors)}${postForm(context, {
      action: `${here}/edit`,
      submit: 'Save',
      hidden: { etag, [openedField]: JSON.stringify(valuesOfEndpoint(endpoint)) },
      body: fieldsFor(context, { values, errors, choices, endpoint }),
    })}<p><a href="${here}">Back without saving</a></p>`,
  });
}
