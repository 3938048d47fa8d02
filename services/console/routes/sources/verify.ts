import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { page, type PageResult, problem } from '../../page-result.ts';
import { type TenantContext, tenantPage } from '../../page.ts';
import { verificationView, verifyFields } from '../../pages/sources/verification.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { postForm } from '../../parts/form.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { findRejection } from './find-rejection.ts';
import { asSent, readHeaders } from './pasted.ts';
import type { Rejection, Source, Verification } from './source.ts';

/** `T/sources/:id/verify`: why is this signature wrong? */
export const verifyWebhook = tenantPage({
  path: '/sources/:id/verify',
  title: 'Verify a webhook',
  section: 'sources',
  takesPayload: true,
  get: {
    query: ['rejection'],
    async answer(context) {
      const { api, params, query } = context;
      const source = await sourceOf(context);
      const id = query.get('rejection');
      if (id === null) return showForm(context, source, { values: new URLSearchParams() });
      const rejection = await findRejection(api, { source: params.id, id });
      return rejection === undefined ? problem(404) : showForm(context, source, { values: formOf(rejection) });
    },
  },
  post: {
    // It changes nothing.
    scope: 'read',
    async answer(context) {
      const { api, form, params } = context;
      const source = await sourceOf(context);
      const read = readHeaders(form.get('headers') ?? '');
      if ('errors' in read) return showForm(context, source, { values: form, errors: read.errors });
      const isBase64 = form.get('body_encoding') === 'base64';
      const query = form.get('query')?.trim() ?? '';
      const address = form.get('address')?.trim() ?? '';
      const answer = await api.query<Verification>(path`/sources/${params.id}/verify`, {
        headers: read.headers,
        body: isBase64 ? (form.get('body') ?? '').replaceAll(/\s/g, '') : asSent(form.get('body')),
        ...(isBase64 && { body_encoding: 'base64' }),
        ...(query !== '' && { query: query.startsWith('?') ? query : `?${query}` }),
        ...(address !== '' && { address }),
      });
      if (answer.ok) return showForm(context, source, { values: form, verification: answer.value });
      const { failure } = answer;
      return failure.kind === 'problem' && failure.status === 400
        ? showForm(context, source, { values: form, errors: failure.problem.errors ?? [] })
        : problemOfFailure(failure);
    },
  },
});

const sourceOf = ({ api, params }: TenantContext<'/:id'>): Promise<Source> =>
  api.get<Source>(path`/sources/${params.id}`);

/** A webhook that was rejected, as far as it was kept. */
function formOf({ headers, body = '', body_encoding: encoding, client_address: address }: Rejection): URLSearchParams {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${String(value)}`),
  );
  return new URLSearchParams({
    headers: lines.join('\n'),
    body,
    address,
    ...(encoding === 'base64' && { body_encoding: 'base64' }),
  });
}

interface Shown {
  values: URLSearchParams;
  errors?: readonly FieldError[];
  verification?: Verification;
}

function showForm(context: TenantContext, source: Source, { values, errors = [], verification }: Shown): PageResult {
  const { t } = context;
  const href = `${t}/sources/${source.id}`;
  return page({
    title: 'Why is this signature wrong?',
    ...(errors.length > 0 && { status: 400 as const }),
    subtitle: html`<bdi>${source.name}</bdi>`,
    crumbs: [
      { label: 'Sources', href: `${t}/sources` },
      { label: source.name, href },
    ],
    body: html`${errorSummary(errors)}${verification && verificationView(verification)}
<p>Paste a webhook as it was sent. It is verified as a webhook to this source would be, and nothing is received.</p>
${postForm(context, { action: `${href}/verify`, submit: 'Verify', body: verifyFields(values, errors) })}`,
  });
}
