import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { page, type PageResult } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { fieldsFor } from '../../pages/endpoints/endpoint-form.ts';
import { formErrors } from '../../pages/endpoints/field-errors.ts';
import { type FormValues, newValues, valuesOfForm } from '../../pages/endpoints/form-values.ts';
import { secretPage } from '../../pages/endpoints/secret-page.ts';
import { createBody } from '../../pages/endpoints/settings-body.ts';
import { countsFrom, missedHref } from '../../parts/counts-from.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { postForm } from '../../parts/form.ts';
import { wholeId } from '../../parts/short-id.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import type { Endpoint } from './endpoint.ts';
import { readChoices } from './read-choices.ts';

/** `T/endpoints/new`. Its answer alone shows the secret; a reload of it shows the same, and creates nothing. */
export const newEndpoint = tenantPage({
  path: '/endpoints/new',
  title: 'New endpoint',
  section: 'endpoints',
  get: { scope: 'write', capability: 'endpoints', answer: (context) => showForm(context, newValues, []) },
  post: {
    capability: 'endpoints',
    async answer(context) {
      const { api, t, form } = context;
      const values = valuesOfForm(form);
      const read = createBody(values);
      if (!read.ok) return showForm(context, values, read.errors);
      const created = await api.send<Endpoint & { secret: string }>('POST', path`/endpoints`, { body: read.body });
      if (!created.ok) {
        const errors = formErrors(created.failure, context);
        return errors === undefined ? problemOfFailure(created.failure) : showForm(context, values, errors);
      }
      const { id, url, secret } = created.value;
      const mayReplay = context.can('write', 'replay');
      return page({
        status: 201,
        title: 'Endpoint created',
        subtitle: wholeId(id),
        crumbs: [{ label: 'Endpoints', href: `${t}/endpoints` }],
        islands: ['counts-from'],
        body: secretPage(
          { secret, href: `${t}/endpoints/${id}` },
          html`<p><bdi class="url">${url}</bdi> receives the events that are accepted from ${countsFrom(created.value)} on.${mayReplay && html` <a href="${missedHref(t, created.value)}">Send it what it missed</a>`}</p>`,
        ),
      });
    },
  },
});

async function showForm(
  context: TenantContext,
  values: FormValues,
  errors: readonly FieldError[],
): Promise<PageResult> {
  const { t } = context;
  const choices = await readChoices(context);
  return page({
    ...(errors.length > 0 && { status: 400 }),
    crumbs: [{ label: 'Endpoints', href: `${t}/endpoints` }],
    body: html`${errorSummary(errors)}${postForm(context, {
      action: `${t}/endpoints/new`,
      submit: 'Create endpoint',
      body: fieldsFor(context, { values, errors, choices }),
    })}`,
  });
}
