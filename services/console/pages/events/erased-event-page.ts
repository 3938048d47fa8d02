import { html } from '#lib/html';
import { page, type PageResult } from '../../page-result.ts';
import { definitions } from '../../parts/definitions.ts';
import { wholeId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { time } from '../../parts/time.ts';
import type { ErasedEvent } from '../../routes/events/event.ts';

/** In place of every page of an event that was erased, until its days end. It has nothing of what the event held. */
export const erasedEventPage = ({ id, received_at, updated_at }: ErasedEvent, t: string): PageResult =>
  page({
    status: 410,
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
