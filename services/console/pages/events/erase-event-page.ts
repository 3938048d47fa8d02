import { html } from '#lib/html';
import type { PageContent } from '../../page-result.ts';
import type { TenantContext } from '../../page.ts';
import { postForm } from '../../parts/form.ts';
import { time } from '../../parts/time.ts';
import type { LiveEvent } from '../../routes/events/event.ts';

export function eraseEventPage(context: TenantContext, event: LiveEvent): PageContent {
  const { t } = context;
  const href = `${t}/events/${encodeURIComponent(event.id)}`;
  return {
    title: 'Erase this event?',
    crumbs: [
      { label: 'Events', href: `${t}/events` },
      { label: event.id, href },
    ],
    body: html`<p class="lead"><bdi>${event.type}</bdi>, received ${time(event.received_at)}.</p>
<ul><li>Its type, payload, request, receipts, tags and attempts are removed at once. This can’t be undone.</li>
<li>Deliveries that are open are cancelled. What was sent stays with its receivers.</li>
<li>Kafka keeps bytes of it until the retention of its topics is over: the receipt says until when.</li></ul>
<div class="buttons">${postForm(context, { action: `${href}/erase`, submit: 'Erase the event', tone: 'danger', isInline: true })}
<a class="button quiet" href="${href}">Keep it</a></div>`,
  };
}
