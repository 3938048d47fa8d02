import { html } from '#lib/html';
import type { PageContent } from '../../page-result.ts';
import { definitions } from '../../parts/definitions.ts';
import { wholeId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import type { ErasedEvent } from '../../routes/events/event.ts';

/** An event that was erased is a page until its days end: it says that it was, and has nothing of what it held. */
export const erasedEventPage = ({ id, received_at, updated_at }: ErasedEvent, t: string): PageContent => ({
  title: 'Erased event',
  heading: html`Erased event ${statusBadge('erased')}`,
  subtitle: wholeId(id),
  crumbs: [{ label: 'Events', href: `${t}/events` }],
  body: html`<p class="lead">This event was erased. Its type, payload, request and receipts are gone, and its open deliveries were cancelled.</p>
${definitions([
  ['Received', time(received_at)],
  ['Erased', time(updated_at)],
])}`,
});
