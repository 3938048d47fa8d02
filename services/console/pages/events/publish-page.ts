import { maxPayloadText } from '#lib/contract';
import { html } from '#lib/html';
import type { FieldError } from '../../api-calls/console-api.ts';
import { page, type PageResult } from '../../page-result.ts';
import type { TenantContext } from '../../page.ts';
import { errorSummary } from '../../parts/error-summary.ts';
import { textArea, textField } from '../../parts/fields.ts';
import { postForm } from '../../parts/form.ts';

/** The form of an event of one's own. After a refusal: as it was sent, with what is wrong. */
export function publishPage(
  context: TenantContext,
  values = new URLSearchParams(),
  errors: readonly FieldError[] = [],
): PageResult {
  const { t } = context;
  const valueOf = (name: string, otherwise = '') => ({ name, value: values.get(name) ?? otherwise, errors });
  return page({
    status: errors.length > 0 ? 400 : 200,
    title: 'Publish an event',
    crumbs: [{ label: 'Events', href: `${t}/events` }],
    body: html`${errorSummary(errors)}
<p class="lead">An event of your own goes to every endpoint that subscribes to its type, like one that a provider sent.</p>
${postForm(context, {
  action: `${t}/events/new`,
  submit: 'Publish',
  body: html`${textField({ ...valueOf('type'), label: 'Type', hint: 'Such as order.paid.', isRequired: true })}
${textArea({ ...valueOf('payload', '{}'), label: 'Payload', hint: `Any JSON, up to ${maxPayloadText}. It is sent as it is written here.`, rows: 10, isRequired: true })}
${textField({ ...valueOf('event_id'), label: 'Your id', hint: 'Optional. Published again within 72 hours, it is the same event.' })}
${textField({ ...valueOf('ordering_key'), label: 'Ordering key', hint: 'Optional. Events with the same key stay in order.' })}
${textArea({ ...valueOf('tags'), label: 'Tags', hint: 'Optional. Up to five tags to find the event by, one a line: customer:cus_9', rows: 3 })}`,
})}`,
  });
}
