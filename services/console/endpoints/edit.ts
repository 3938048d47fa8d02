import { ApiError, type ApiFailure } from '#client';
import type { Endpoint } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import type { FieldError, ReadApi } from '../api-calls/console-api.ts';
import { page, type PageResult, seeOther } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { problemOfFailure } from '../problem-of-failure.ts';
import { errorSummary, postForm } from '../ui/form.ts';
import { table } from '../ui/lists.ts';
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

const whyUrl =
  'Events are sent over https to public addresses alone, so that nobody can reach the network behind Hookline.';
const howToAllow = 'An operator allows others with HOOKLINE_ALLOWED_NETWORKS and HOOKLINE_ALLOW_HTTP.';

/** The errors of a form, if the API refused it for them. For customers no operator's allowance counts. */
export function formErrors(
  failure: ApiFailure,
  { isCustomer }: Pick<TenantContext, 'isCustomer'>,
): readonly FieldError[] | undefined {
  if (failure.kind !== 'problem' || failure.status !== 400) return undefined;
  const { code, detail, errors = [] } = failure.problem;
  if (errors.length === 0) return [{ field: '', message: detail ?? 'The form is not valid' }];
  const why = isCustomer ? whyUrl : `${whyUrl} ${howToAllow}`;
  return code === 'url_not_allowed'
    ? errors.map(({ field, message }) => ({ field, message: `${message}. ${why}` }))
    : errors;
}

/** Two people have edited the same endpoint. Neither version is lost: the form has both, and where they disagree, yours; the table shows the other. */

interface Versions {
  /** The values that the form began with. */
  opened: FormValues;
  yours: FormValues;
  theirs: FormValues;
}

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

function conflictOf({ opened, yours, theirs }: Versions): Conflict {
  const differing = fieldNames.filter((name) => !isSameValue(name, yours[name], theirs[name]));
  const differences = differing.map((name): Difference => {
    const isYours = !isSameValue(name, yours[name], opened[name]);
    const isTheirs = !isSameValue(name, theirs[name], opened[name]);
    return { name, yours: yours[name], theirs: theirs[name], by: isYours ? (isTheirs ? 'both' : 'you') : 'them' };
  });
  const values = Object.fromEntries(
    fieldNames.map((name) => {
      const isTheirs = differences.some((difference) => difference.name === name && difference.by === 'them');
      return [name, (isTheirs ? theirs : yours)[name]];
    }),
  ) as unknown as FormValues;
  return { values, differences };
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

type Again = (more: { errors: readonly FieldError[] } | { refused: string }) => PageResult | Promise<PageResult>;

/** The form again for what it can say itself: wrong fields, and what is not possible now. Else the page of the problem. */
export function answerRefusal(
  context: Pick<TenantContext, 'isCustomer'>,
  failure: ApiFailure,
  again: Again,
): PageResult | Promise<PageResult> {
  const errors = formErrors(failure, context);
  if (errors !== undefined) return again({ errors });
  if (failure.kind === 'problem' && failure.status === 409 && failure.problem.detail !== undefined)
    return again({ refused: `${failure.problem.detail}.` });
  return problemOfFailure(failure);
}

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
      const errors = formErrors(failure, context);
      return errors === undefined ? problemOfFailure(failure) : showForm(context, current, { values, errors });
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
