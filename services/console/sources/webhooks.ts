import type { Rejection, Source, Verification } from '#lib/api-contract';
import { html, type Html } from '#lib/html';
import type { FieldError } from '../api-calls/console-api.ts';
import { formAgain } from '../after-change.ts';
import { page, type PageResult, problem } from '../page-result.ts';
import { type TenantContext, tenantPage } from '../page.ts';
import { enteredIn, errorSummary, postForm, selectField, textArea, textField } from '../ui/form.ts';
import { cliCommand, codeBlock } from '../ui/text.ts';
import { sourceOf } from './read.ts';
import { findRejection } from './rejections.ts';
import { headOf } from './views.ts';

/** The steps, in the order in which a webhook passes them. */
const steps: readonly (readonly [step: string, label: string])[] = [
  ['address', 'Address of the sender'],
  ['length', 'Length of the body'],
  ['signature_header', 'Header of the signature'],
  ['timestamp', 'Time of the signature'],
  ['signature', 'The signature itself'],
];

/** The step that fails, and what to do. */
function verificationView({ verified, step, status, code, detail, not_checked: unchecked }: Verification): Html {
  const failedAt = steps.findIndex(([name]) => name === step);
  const mark = (index: number): string =>
    failedAt < 0 || index < failedAt ? '✓ passes' : index === failedAt ? '✕ fails' : 'not reached';
  return html`<section class="card" role="status"><h2>${verified ? '✓ The webhook is valid' : '✕ The webhook would be rejected'}</h2>
<p class="note ${verified ? 'note-good' : 'note-bad'}">${sentence(detail)}</p>
<ol class="steps">${steps.map(([name, label], index) => html`<li>${label}: ${name === 'address' && unchecked.includes('address') ? 'not checked, no address given' : mark(index)}</li>`)}</ol>
<p class="muted">The sender gets the status ${status}${code !== null && html` with the code <code>${code}</code>`}.${
    unchecked.includes('client_certificate') && ' The client certificate is checked besides.'
  }</p></section>`;
}

/** Names in backticks are code. */
const sentence = (detail: string): Html =>
  html`${`${detail}.`.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;

function verifyFields(values: URLSearchParams, errors: readonly FieldError[]): Html {
  const field = enteredIn(values, errors);
  return html`${textArea({ ...field('headers'), label: 'Headers', rows: 6, hint: 'A line each: Name: value.' })}
${textArea({ ...field('body'), label: 'Body', rows: 8, hint: 'The exact bytes count. Line breaks are taken as \\n: if yours differ, or the body is not text, give it in base64.' })}
${selectField({
  ...field('body_encoding'),
  label: 'The body is given as',
  options: [
    { value: '', label: 'text' },
    { value: 'base64', label: 'base64' },
  ],
})}
${textField({ ...field('query'), label: 'Query of the URL', hint: 'Some schemes sign it: ?bodySHA256=… Empty: none.' })}
${textField({ ...field('address'), label: 'Address of the sender', hint: 'Empty: any.' })}`;
}

/** A request's body and headers, as a person pastes them into a form. */

/** Browsers send line breaks as CRLF, however they were pasted: nearly all bodies have LF. */
const asSent = (text: string | null): string => (text ?? '').replaceAll('\r\n', '\n');

type Headers = Record<string, string | string[]>;

/** Lines of `Name: value`. A request line before them is left out. */
function readHeaders(text: string): { headers: Headers } | { errors: readonly FieldError[] } {
  const headers: Headers = {};
  const wrong: number[] = [];
  for (const [index, line] of asSent(text).split('\n').entries()) {
    if (line.trim() === '' || /^[A-Z]+ \S+ HTTP\/[\d.]+\s*$/.test(line)) continue;
    const [, name, value = ''] = /^\s*([^\s:]+)\s*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) wrong.push(index + 1);
    else {
      const key = name.toLowerCase();
      const before = headers[key];
      headers[key] = before === undefined ? value : [before, value].flat();
    }
  }
  if (wrong.length === 0) return { headers };
  const message = `must have one header a line, as Name: value; see line ${wrong.join(', ')}`;
  return { errors: [{ field: '/headers', message }] };
}

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
      const answer = await api.query('POST /v1/sources/:id/verify', {
        params,
        body: {
          headers: read.headers,
          body: isBase64 ? (form.get('body') ?? '').replaceAll(/\s/g, '') : asSent(form.get('body')),
          ...(isBase64 && { body_encoding: 'base64' }),
          ...(query !== '' && { query: query.startsWith('?') ? query : `?${query}` }),
          ...(address !== '' && { address }),
        },
      });
      return answer.ok
        ? showForm(context, source, { values: form, verification: answer.value })
        : formAgain(answer.failure, (errors) => showForm(context, source, { values: form, errors }));
    },
  },
});

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
  const action = `${context.t}/sources/${source.id}/verify`;
  return page({
    ...headOf(source, context.t),
    title: 'Why is this signature wrong?',
    status: errors.length > 0 ? 400 : 200,
    body: html`${errorSummary(errors)}${verification && verificationView(verification)}
<p>Paste a webhook as it was sent. It is verified as a webhook to this source would be, and nothing is received.</p>
${postForm(context, { action, submit: 'Verify', body: verifyFields(values, errors) })}`,
  });
}

/** `T/sources/:id/sample`: a webhook signed as the provider would, to be sent from a terminal. */
export const sampleWebhook = tenantPage({
  path: '/sources/:id/sample',
  title: 'Signed sample',
  section: 'sources',
  takesPayload: true,
  get: { scope: 'write', answer: (context) => showSample(context, '') },
  post: { answer: (context) => showSample(context, asSent(context.form.get('body'))) },
});

/** A new signature each time: it has the time in it. */
async function showSample(context: TenantContext<'/:id'>, body: string): Promise<PageResult> {
  const { api, params } = context;
  const source = await sourceOf(context);
  const signed = await api.query('POST /v1/sources/:id/sample', { params, body: body === '' ? {} : { body } });
  return signed.ok
    ? samplePage(context, source, { body, curl: signed.value.curl })
    : formAgain(signed.failure, (errors) => samplePage(context, source, { body, errors }));
}

interface Sample {
  body: string;
  /** Undefined: the body was refused. */
  curl?: string;
  errors?: readonly FieldError[];
}

function samplePage(context: TenantContext, source: Source, { body, curl, errors = [] }: Sample): PageResult {
  const { t, tenant } = context;
  return page({
    ...headOf(source, t),
    title: 'Send a signed sample',
    status: curl === undefined ? 400 : 200,
    body: html`${errorSummary(errors)}${
      curl !== undefined &&
      html`<section class="card"><h2>With curl</h2>
<p>Signed with the current secret, at this moment: send it soon.</p>${codeBlock(curl)}
<h2>With hookline</h2><p>Signs anew each time, so that it can be sent later and again.</p>${codeBlock(cliCommand(`send ${source.id} --secret '…'`, tenant))}
<p>Then look for it among the <a href="${t}/events?source_id=${source.id}">events of this source</a>.</p></section>`
    }
<h2>Another body</h2>${postForm(context, {
      action: `${t}/sources/${source.id}/sample`,
      submit: 'Sign it',
      tone: 'plain',
      body: textArea({
        name: 'body',
        label: 'Body',
        value: body,
        errors,
        rows: 6,
        hint: 'Empty: a small one with an id and a type. Line breaks are \\n.',
      }),
    })}`,
  });
}
