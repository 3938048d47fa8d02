import { html, type Html } from '#lib/html';
import { path } from '../../api-calls/paths.ts';
import { page, problem } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { attemptPage } from '../../pages/deliveries/attempt-page.ts';
import { wholeId } from '../../parts/short-id.ts';
import type { Delivery } from './delivery.ts';
import { readAttempt } from './read-attempt.ts';

/** `T/deliveries/:id/attempts/:n` */
export const attempt = tenantPage({
  path: '/deliveries/:id/attempts/:n',
  title: 'Attempt',
  section: 'deliveries',
  get: {
    capability: 'view',
    async answer({ api, params, t, isCustomer }) {
      const { id, n } = params;
      if (!/^[1-9]\d{0,5}$/.test(n)) return problem(404);
      const number = Number(n);
      const [delivery, found] = await Promise.all([
        api.get<Delivery>(path`/deliveries/${id}`),
        readAttempt(api, id, number),
      ]);
      if (found === undefined)
        return number <= delivery.attempts ? problem(410, { explanation: keptNoLonger }) : problem(404);
      const here = `${t}/deliveries/${delivery.id}`;
      return page({
        title: `Attempt ${number} of ${delivery.event_type ?? 'an erased event'}`,
        heading: html`Attempt ${number} <span class="muted">of ${delivery.attempts}</span>`,
        subtitle: wholeId(delivery.id),
        crumbs: [
          { label: 'Deliveries', href: `${t}/deliveries` },
          { label: `Delivery of ${delivery.event_type ?? 'an erased event'}`, href: here },
        ],
        actions: beside({ t, isCustomer, delivery, number }),
        body: attemptPage(found, delivery, { t, isCustomer }),
      });
    },
  },
});

const keptNoLonger =
  'This attempt was made, but its request and answer have been removed: they are kept as long as payloads.';

function beside({
  t,
  isCustomer,
  delivery: { id, attempts },
  number,
}: Pick<TenantContext, 't' | 'isCustomer'> & { delivery: Delivery; number: number }): Html {
  const at = (n: number): string => `${t}/deliveries/${id}/attempts/${n}`;
  return html`${number > 1 && html`<a class="button" rel="prev" href="${at(number - 1)}">‹ Attempt ${number - 1}</a>`}
${number < attempts && html`<a class="button" rel="next" href="${at(number + 1)}">Attempt ${number + 1} ›</a>`}
${number > 1 && !isCustomer && html`<a class="button" href="${t}/compare?a=${id}:${number - 1}&amp;b=${id}:${number}">Compare to attempt ${number - 1}</a>`}`;
}
