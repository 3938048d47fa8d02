import { html, type Html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { page, type PageResult } from '../../page-result.ts';
import type { TenantContext } from '../../page.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { postForm } from '../../parts/form.ts';
import type { Endpoint } from '../../routes/endpoints/endpoint.ts';

interface ActionPage {
  endpoint: Endpoint;
  title: string;
  /** The effect of the action, also on deliveries. */
  about: Html;
  /** The last part of the address. */
  action: string;
  submit: string;
  isDangerous?: boolean;
  fields?: Html;
  hidden?: Readonly<Record<string, string>>;
  /** The result of the action before. */
  above?: Html | undefined;
  errors?: readonly FieldError[];
  /** Why it is not possible now, as a sentence. */
  refused?: string | undefined;
}

/** A page that asks before something is done to an endpoint: what, to which one, and what it means. */
export function actionPage(context: TenantContext, given: ActionPage): PageResult {
  const { endpoint, title, about, action, submit, fields, hidden, above, errors = [], refused } = given;
  const here = `${context.t}/endpoints/${endpoint.id}`;
  return page({
    status: refused !== undefined ? 409 : errors.length > 0 ? 400 : 200,
    title,
    subtitle: html`<bdi class="url">${endpoint.url}</bdi>`,
    crumbs: [
      { label: 'Endpoints', href: `${context.t}/endpoints` },
      { label: endpoint.description || endpoint.url, href: here },
    ],
    body: html`${refused !== undefined && html`<p class="note note-bad" role="alert">${refused}</p>`}${errorSummary(errors)}
${above}<div class="card"><p>${about}</p>${postForm(context, {
      action: `${here}/${action}`,
      submit,
      ...(given.isDangerous === true && { tone: 'danger' }),
      ...(fields && { body: fields }),
      ...(hidden && { hidden }),
    })}<p><a href="${here}">Back to the endpoint</a></p></div>`,
  });
}
