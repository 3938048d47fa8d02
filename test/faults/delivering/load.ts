import { setTimeout as delay } from 'node:timers/promises';
import type { Sender } from '../../support/sender.ts';
import { spreadOut } from '../support/spread-out.ts';
import { type Payload, webhookOf } from './webhooks.ts';

const atOnce = 16;
const pauseMs = 200;
/** Longer than a busy machine keeps anyone waiting: nothing is done to the ingress here. */
const giveUpMs = 60_000;

/** Sends all, spread over the time that the faults are expected to take, each until it is taken. */
export function sendAll(
  payloads: readonly Payload[],
  options: { sender: Sender; secret: string; expectedMs: number; faultsOver: Promise<unknown> },
): Promise<void> {
  const { sender, secret } = options;
  return spreadOut(payloads, { ...options, atOnce }, async (payload) => {
    const deadlineMs = performance.now() + giveUpMs;
    for (;;) {
      const { outcome, status, detail } = await sender.send(webhookOf(payload, secret));
      if (outcome === 'ok') return;
      if (performance.now() >= deadlineMs) throw new Error(`${payload.id} was not taken: ${status} ${detail}`);
      await delay(pauseMs);
    }
  });
}
