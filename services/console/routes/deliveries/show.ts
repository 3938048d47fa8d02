import { html, type Html } from '#lib/html';
import { page, type PageResult, problem } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { deliveryPage } from '../../pages/deliveries/delivery-page.ts';
import { postForm } from '../../parts/form.ts';
import { wholeId } from '../../parts/short-id.ts';
import { type Delivery, isOpen } from './delivery.ts';
import { readDelivery } from './read-delivery.ts';

/** `T/deliveries/:id` */
export const delivery = tenantPage({
  path: '/deliveries/:id',
  title: 'Delivery',
  section: 'deliveries',
  get: {
    capability: 'view',
    query: ['cursor', 'limit'],
    answer: (context) => showDelivery(context, context.params.id),
  },
});

/** @param refused why what was asked for is not possible now, as a sentence */
export async function showDelivery(context: TenantContext, id: string, refused?: string): Promise<PageResult> {
  const { t, clock, query, isCustomer } = context;
  const shown = await readDelivery(context, id, query);
  if (!shown.ok) return problem(400, { errors: shown.errors });
  const { event_type: type } = shown.delivery;
  return page({
    ...(refused !== undefined && { status: 409 }),
    title: `Delivery of ${type ?? 'an erased event'}`,
    heading: html`Delivery of <bdi>${type ?? 'an erased event'}</bdi>`,
    subtitle: wholeId(shown.delivery.id),
    crumbs: [{ label: 'Deliveries', href: `${t}/deliveries` }],
    actions: actions(context, shown.delivery),
    body: html`${refused !== undefined && html`<p class="note note-bad" role="alert">${refused}</p>`}${deliveryPage(shown, { t, isCustomer, nowMs: clock.nowMs() })}`,
  });
}

function actions(context: TenantContext, delivery: Delivery): Html {
  const { t, can } = context;
  const at = (what: string): string => `${t}/deliveries/${delivery.id}/${what}`;
  const retry = (submit: string): Html | false =>
    can('write', 'replay') && postForm(context, { action: at('retry'), submit, isInline: true });
  if (delivery.status === 'dead_lettered') return html`${retry('Replay it')}`;
  if (!isOpen(delivery)) return html``;
  return html`${retry('Send now')}${can('write') && postForm(context, { action: at('cancel'), submit: 'Cancel', tone: 'danger', isInline: true })}`;
}
