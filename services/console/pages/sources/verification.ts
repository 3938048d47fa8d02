import { html, type Html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { selectField, textArea, textField } from '../../parts/fields.ts';
import type { Verification } from '../../routes/sources/source.ts';

/** The steps, in the order in which a webhook passes them. */
const steps: readonly (readonly [step: string, label: string])[] = [
  ['address', 'Address of the sender'],
  ['length', 'Length of the body'],
  ['signature_header', 'Header of the signature'],
  ['timestamp', 'Time of the signature'],
  ['signature', 'The signature itself'],
];

/** The step that fails, and what to do. */
export function verificationView({ verified, step, status, code, detail, not_checked: unchecked }: Verification): Html {
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

export const verifyFields = (values: URLSearchParams, errors: readonly FieldError[]): Html => {
  const field = (name: string) => ({ name, value: values.get(name) ?? '', errors });
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
};
