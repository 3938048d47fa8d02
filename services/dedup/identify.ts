import { hash } from 'node:crypto';
import { decodeContent } from '#lib/content-coding';
import type { Locator, ReceivedWebhook } from '#lib/contract';
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

/** A function of the record alone, whatever its body is; never throws. @param content what is looked into in the body's place */
export function identify(webhook: ReceivedWebhook, content: Buffer = webhook.body): Identity {
  const json = createJsonBody(content);
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

/**
 * The content that identifiers are looked for in: the decoded body, if it came encoded and anything is looked for in it. A body that can't
 * be decoded is taken as it stands: a webhook without an identifier is known by its hash. Never rejects.
 */
export async function identifyingContent(webhook: ReceivedWebhook): Promise<Buffer> {
  const { body, contentEncoding, identifyBy, typeBy } = webhook;
  if (contentEncoding === null || ![identifyBy, typeBy].some(leadsIntoBody)) return body;
  const decoded = await decodeContent(body, contentEncoding);
  return 'content' in decoded ? decoded.content : body;
}

/** A value that stands before the first pointer is found, unless it is empty. */
function leadsIntoBody(locators: readonly Locator[]): boolean {
  const asked = locators.find((locator) => 'pointer' in locator || locator.value !== '');
  return asked !== undefined && 'pointer' in asked;
}
