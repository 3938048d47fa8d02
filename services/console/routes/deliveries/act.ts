/** The actions on one delivery. One that is not possible now is a sentence on its page. */
import type { Asked } from '../../api-calls/console-api.ts';
import { path } from '../../api-calls/paths.ts';
import { type PageResult, seeOther } from '../../page-result.ts';
import { tenantPage, type TenantContext } from '../../page.ts';
import { problemOfFailure } from '../../problem-of-failure.ts';
import { showDelivery } from './show.ts';

/** `T/deliveries/:id/retry`: one that waits is sent now; of one that is dead, its dead letter is replayed. */
export const retryDelivery = tenantPage({
  path: '/deliveries/:id/retry',
  title: 'Delivery',
  section: 'deliveries',
  post: {
    capability: 'replay',
    async answer(context) {
      const { api, params, t } = context;
      const asked = await api.send<{ id: string }>('POST', path`/deliveries/${params.id}/retry`);
      if (!asked.ok) return refusal(context, asked);
      // A delivery, or the replay of its dead letter.
      return seeOther(
        asked.value.id.startsWith('rpl_') ? `${t}/replays/${asked.value.id}` : `${t}/deliveries/${params.id}`,
      );
    },
  },
});

/** `T/deliveries/:id/cancel` */
export const cancelDelivery = tenantPage({
  path: '/deliveries/:id/cancel',
  title: 'Delivery',
  section: 'deliveries',
  post: {
    async answer(context) {
      const { api, params, t } = context;
      const asked = await api.send('POST', path`/deliveries/${params.id}/cancel`);
      return asked.ok ? seeOther(`${t}/deliveries/${params.id}`) : refusal(context, asked);
    },
  },
});

async function refusal(
  context: TenantContext<'/deliveries/:id'>,
  { failure }: Extract<Asked<unknown>, { ok: false }>,
): Promise<PageResult> {
  if (failure.kind !== 'problem' || failure.status !== 409) return problemOfFailure(failure);
  const { detail = 'That is not possible now' } = failure.problem;
  const [, ended] = /^The delivery is (delivered|cancelled)$/.exec(detail) ?? [];
  return showDelivery(context, context.params.id, ended === undefined ? `${detail}.` : `It was ${ended} already.`);
}
