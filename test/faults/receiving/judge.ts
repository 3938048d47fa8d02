import type { ApiClient } from '../../support/api-client.ts';
import type { KafkaOffsets } from '../../support/kafka-offsets.ts';
import { shuffled } from '../../support/seeded-random.ts';
import { checkWhenDrained } from '../checker/check-when-drained.ts';
import type { Verdict } from '../checker/check.ts';
import type { Send } from '../checker/history.ts';
import type { Witnesses } from '../checker/load-history.ts';
import { areReadToTheEnd } from '../support/are-read-to-the-end.ts';

/** For a hundred webhooks as for a million: what stood still while something was away has to be caught up with. */
const drainTimeoutMs = { least: 180_000, perSend: 1 };

/** Says of the run so far whether the guarantees held, once dedup and projector have come to the ends of their topics. */
export function judge(
  witnesses: Omit<Witnesses, 'scope' | 'arrivals' | 'observedEndpoints'>,
  { offsets, topicPrefix }: { offsets: KafkaOffsets; topicPrefix: string },
): Promise<Verdict> {
  const all: Witnesses = { ...witnesses, scope: 'receiving', arrivals: [], observedEndpoints: new Set() };
  const timeoutMs = drainTimeoutMs.least + witnesses.sends.length * drainTimeoutMs.perSend;
  return checkWhenDrained(all, timeoutMs, () =>
    hasDrained(offsets, topicPrefix).catch(() => {
      // The broker is back for a moment only; it is asked again.
      return false;
    }),
  );
}

const hasDrained = (offsets: KafkaOffsets, topicPrefix: string): Promise<boolean> =>
  areReadToTheEnd(offsets, topicPrefix, [
    ['dedup', 'webhooks.received'],
    ['projector', 'events'],
    ['projector', 'duplicates'],
  ]);

const sampledWebhooks = 50;

/**
 * Checks through the API that every receipt of a webhook leads to the same event, for some webhooks that were received more than once.
 *
 * @returns the violations as text
 */
export async function receiptsThatLeadAstray(
  api: ApiClient,
  sends: readonly Send[],
  random: () => number,
): Promise<string[]> {
  const taken = sends.filter(({ receiptId }) => receiptId !== null);
  const byWebhook = Map.groupBy(taken, ({ sourceId, identity }) => `${sourceId}/${identity}`);
  const repeated = [...byWebhook].filter(([, ofOne]) => ofOne.length > 1);
  const astray: string[] = [];
  for (const [webhook, ofOne] of shuffled(repeated, random).slice(0, sampledWebhooks)) {
    const found = await Promise.all(ofOne.map(({ receiptId }) => api.eventsOfReceipt(receiptId ?? '')));
    const leads = found.map((events) => events.map(({ id }) => id).join(' and ') || 'nothing');
    if (found.some((events) => events.length !== 1) || new Set(leads).size !== 1)
      astray.push(
        `the receipts ${ofOne.map(({ receiptId }) => receiptId).join(', ')} of ${webhook} lead to ${leads.join(', ')}`,
      );
  }
  return astray;
}
