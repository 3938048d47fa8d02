import { hash } from 'node:crypto';
import type { ReceivedWebhook } from '#lib/contract';
import { bodyHashOf, dedupKeyOf } from '#lib/dedup-store';
import { createJsonBody, locateScalar, shownScalar } from '#lib/json-locator';

export interface Identity {
  dedupKey: Buffer;
  bodyHash: Buffer;
  /** The sender's identifier as it is shown; null where the webhook is known by its body alone. */
  eventId: string | null;
  type: string;
}

const defaultType = 'webhook';

/** A function of the record alone, whatever its body is; never throws. */
export function identify(webhook: ReceivedWebhook): Identity {
  const json = createJsonBody(webhook.body);
  const sha256 = hash('sha256', webhook.body, 'buffer');
  const found = locateScalar(webhook.identifyBy, json);
  const type = locateScalar(webhook.typeBy, json);
  return {
    dedupKey: dedupKeyOf(webhook.tenant, webhook.sourceId, found ?? { kind: 'body', sha256 }),
    bodyHash: bodyHashOf(sha256),
    eventId: found === undefined ? null : shownScalar(found),
    type: type === undefined ? defaultType : shownScalar(type),
  };
}
