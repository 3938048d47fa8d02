import { html, type Html } from '#lib/html';
import { shortId } from '../../parts/short-id.ts';
import { statusBadge } from '../../parts/status-badge.ts';
import { type Column, table } from '../../parts/table.ts';
import { time } from '../../parts/time.ts';
import type { Delivery, Receipt } from '../../routes/events/event.ts';
import { type Answers, lastAnswer, reasonGiven } from './delivery-words.ts';
import { endpointName, type EndpointNames, urlBeneath } from './endpoint-names.ts';

export const deliveriesTable = (
  deliveries: readonly Delivery[],
  { t, endpoints, answers }: { t: string; endpoints: EndpointNames; answers: Answers },
): Html => {
  const isReplayed = deliveries.some(({ generation }) => generation > 0);
  return table({
    caption: 'Deliveries of this event',
    rows: deliveries,
    href: ({ id }) => `${t}/deliveries/${encodeURIComponent(id)}`,
    columns: [
      {
        header: 'Endpoint',
        cell: ({ endpoint_id: id }) => html`${endpointName(id, endpoints)}${urlBeneath(id, endpoints)}`,
      },
      { header: 'Status', cell: ({ status }) => statusBadge(status) },
      { header: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
      {
        header: 'Last answer',
        cell: (delivery) => html`<span>${lastAnswer(delivery)}${reasonGiven(delivery, answers)}</span>`,
      },
      ...(isReplayed ? [sentBy] : []),
      { header: 'Last change', cell: ({ updated_at: updatedAt }) => time(updatedAt) },
      { header: 'Id', cell: ({ id }) => shortId(id) },
    ],
  });
};

const sentBy: Column<Delivery> = {
  header: 'Sent by',
  cell: ({ generation }) => (generation === 0 ? 'fan-out' : `replay ${generation}`),
};

export const receiptsTable = (receipts: readonly Receipt[]): Html =>
  table({
    caption: 'Receipts of this event',
    rows: receipts,
    columns: [
      { header: 'Received', cell: ({ received_at: receivedAt }) => time(receivedAt) },
      { header: 'As', cell: ({ kind }) => (kind === 'first' ? 'the event' : 'a duplicate') },
      {
        header: 'Body',
        cell: ({ kind, same_bytes: isSame }) =>
          kind === 'first' ? 'the payload' : isSame ? 'the same bytes' : statusBadge('changed', 'other bytes', 'warn'),
      },
      {
        header: 'From',
        cell: ({ client_address: address }) => (address === null ? 'unknown' : html`<code>${address}</code>`),
      },
      { header: 'Receipt', cell: ({ id }) => html`<code class="id whole-id">${id}</code>` },
    ],
  });
