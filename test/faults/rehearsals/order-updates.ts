/**
 * The states of one order, sent to a source that this version has made: all have the same `/id`, which such a source only guesses. Each state
 * must be an event of its own, also while older processes read the records of the newer ingress.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createApiClient } from '../../support/api-client.ts';
import type { Pipeline } from '../../support/pipeline.ts';
import { createSender } from '../../support/sender.ts';

export interface OrderUpdates {
  stop(): Promise<void>;
  /** After `stop`, once nothing is under way any more. */
  violations(): Promise<string[]>;
}

const everyMs = 250;
const hmac = { algorithm: 'sha256', encoding: 'hex', header: 'X-Order-Signature', signed: 'body' };

/** @param ingressUrl that of a process which may be asked now */
export async function sendOrderUpdates(
  { stack }: Pipeline,
  { random, ingressUrl }: { random: () => number; ingressUrl: () => string },
): Promise<OrderUpdates> {
  const api = createApiClient({ url: stack.apiUrl, adminKey: stack.adminKey });
  const { id, secret, ingest_url } = await api.createSource({ name: 'orders', scheme: 'hmac', hmac });
  const sender = createSender({
    ingestUrl: () => `${ingressUrl()}${new URL(ingest_url).pathname}`,
    sourceId: id,
    random,
  });
  const stopped = new AbortController();
  const sendAll = async (): Promise<void> => {
    for (let state = 0; !stopped.signal.aborted; state += 1) {
      const body = Buffer.from(JSON.stringify({ id: 'order-7', type: 'order.updated', state }));
      const headers = { 'x-order-signature': createHmac('sha256', secret).update(body).digest('hex') };
      await sender.send({ identity: String(state), body, headers });
      await delay(everyMs);
    }
  };
  const running = sendAll();

  return {
    async stop() {
      stopped.abort();
      await running;
      sender.close();
    },
    async violations() {
      const stateOfEvent = new Map<string, string>();
      const violations: string[] = [];
      for (const { identity, receiptId } of sender.log) {
        if (receiptId === null) continue;
        const [event] = await api.eventsOfReceipt(receiptId);
        const other = event && stateOfEvent.get(event.id);
        if (event === undefined) violations.push(`state ${identity} of the order became no event`);
        else if (other !== undefined) violations.push(`states ${other} and ${identity} of the order became one event`);
        else stateOfEvent.set(event.id, identity);
      }
      return stateOfEvent.size > 0 ? violations : ['no state of the order was taken'];
    },
  };
}
