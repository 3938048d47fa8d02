import { html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import { page, type PageResult } from '../../page-result.ts';
import { type TenantContext, tenantPage } from '../../page.ts';
import { cliCommand } from '../../parts/cli-command.ts';
import { codeBlock } from '../../parts/code-block.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { textArea } from '../../parts/fields.ts';
import { postForm } from '../../parts/form.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { asSent } from './pasted.ts';
import type { SampleWebhook, Source } from './source.ts';

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
  const { api, params, t, tenant } = context;
  const source = await api.get<Source>(path`/sources/${params.id}`);
  const signed = await api.query<SampleWebhook>(path`/sources/${params.id}/sample`, body === '' ? {} : { body });
  const failure = signed.ok ? undefined : signed.failure;
  const isRefused = failure?.kind === 'problem' && failure.status === 400;
  if (failure !== undefined && !isRefused) return problemOfFailure(failure);
  const errors = failure?.kind === 'problem' ? (failure.problem.errors ?? []) : [];
  const href = `${t}/sources/${source.id}`;
  return page({
    title: 'Send a signed sample',
    ...(isRefused && { status: 400 as const }),
    subtitle: html`<bdi>${source.name}</bdi>`,
    crumbs: [
      { label: 'Sources', href: `${t}/sources` },
      { label: source.name, href },
    ],
    body: html`${errorSummary(errors)}${
      signed.ok &&
      html`<section class="card"><h2>With curl</h2>
<p>Signed with the current secret, at this moment: send it soon.</p>${codeBlock(signed.value.curl)}
<h2>With hookline</h2><p>Signs anew each time, so that it can be sent later and again.</p>${codeBlock(cliCommand(`send ${source.id} --secret '…'`, tenant))}
<p>Then look for it among the <a href="${t}/events?source_id=${source.id}">events of this source</a>.</p></section>`
    }
<h2>Another body</h2>${postForm(context, {
      action: `${href}/sample`,
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
