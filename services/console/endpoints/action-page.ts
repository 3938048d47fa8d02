import type { ApiFailure } from '#client';
import type { Endpoint } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import { type Answer, formAgain } from '../after-change.ts';
import { page, type PageContent, type PageResult } from '../page-result.ts';
import type { TenantContext } from '../page.ts';
import { crumbsTo } from '../sections.ts';
import { errorSummary, postForm } from '../ui/form.ts';

/** The reason why a form is shown again. */
export interface Refusal {
  errors?: readonly FieldError[];
  /** Why it is not possible now, as a sentence. */
  refused?: string | undefined;
}

interface ActionPage extends Refusal {
  /** The effect of the action, also on deliveries. */
  about: Html;
  /** The last part of the address. */
  action: string;
  submit: string;
  isDangerous?: boolean;
  fields?: Html;
  /** The result of the action before. */
  above?: Html | undefined;
}

/** The head of a page about one endpoint, below the endpoint's own. */
export const headOf = ({ id, url, description }: Endpoint, t: string): Pick<PageContent, 'subtitle' | 'crumbs'> => ({
  subtitle: html`<bdi class="url">${url}</bdi>`,
  crumbs: crumbsTo(t, 'endpoints', { label: description || url, href: `${t}/endpoints/${id}` }),
});

/** The page of an action; what was refused stands above its form. */
export const refusablePage = (
  t: string,
  endpoint: Endpoint,
  { errors = [], refused }: Refusal,
  body: Html,
): PageResult =>
  page({
    ...headOf(endpoint, t),
    status: refused !== undefined ? 409 : errors.length > 0 ? 400 : 200,
    body: html`${refused !== undefined && html`<p class="note note-bad" role="alert">${refused}</p>`}${errorSummary(errors)}
${body}`,
  });

/** A page that asks before something is done to an endpoint: what, to which one, and what it means. */
export async function actionPage(context: TenantContext<'/:id'>, given: ActionPage): Promise<PageResult> {
  const { api, params } = context;
  return actionOn(await api.call('GET /v1/endpoints/:id', { params }), context, given);
}

/** The same, of an endpoint that was read already. */
export function actionOn(endpoint: Endpoint, context: TenantContext, given: ActionPage): PageResult {
  const { about, action, submit, isDangerous = false, fields, above } = given;
  const here = `${context.t}/endpoints/${endpoint.id}`;
  const form = postForm(context, {
    action: `${here}/${action}`,
    submit,
    ...(isDangerous && { tone: 'danger' }),
    ...(fields && { body: fields }),
  });
  const body = html`${above}<div class="card"><p>${about}</p>${form}<p><a href="${here}">Back to the endpoint</a></p></div>`;
  return refusablePage(context.t, endpoint, given, body);
}

const whyUrl =
  'Events are sent over https to public addresses alone, so that nobody can reach the network behind Hookline.';
const howToAllow = 'An operator allows others with HOOKLINE_ALLOWED_NETWORKS and HOOKLINE_ALLOW_HTTP.';

type Asking = Pick<TenantContext, 'isCustomer'>;

/** The form again with what is wrong with its fields; else the page of the problem. For customers no operator's allowance counts. */
export function answerWrongForm(
  { isCustomer }: Asking,
  failure: ApiFailure,
  again: (errors: readonly FieldError[]) => Answer,
): Answer {
  const isAboutUrl = failure.kind === 'problem' && failure.problem.code === 'url_not_allowed';
  const why = isCustomer ? whyUrl : `${whyUrl} ${howToAllow}`;
  return formAgain(failure, (errors) =>
    again(isAboutUrl ? errors.map(({ field, message }) => ({ field, message: `${message}. ${why}` })) : errors),
  );
}

/** The form again for what it can say itself: wrong fields, and what is not possible now. Else the page of the problem. */
export function answerRefusal(context: Asking, failure: ApiFailure, again: (refusal: Refusal) => Answer): Answer {
  if (failure.kind === 'problem' && failure.status === 409 && failure.problem.detail !== undefined)
    return again({ refused: `${failure.problem.detail}.` });
  return answerWrongForm(context, failure, (errors) => again({ errors }));
}
