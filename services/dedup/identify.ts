import { hash } from 'node:crypto';
import type { Locator, ReceivedWebhook } from '#lib/contract';
import { bodyHashOf, dedupKeyOf, type Identifier, identifierDigest } from '#lib/dedup-store';
import { createJsonBody, type JsonBody, type Scalar } from './json-body.ts';

export interface Identity {
  dedupKey: Buffer;
  bodyHash: Buffer;
  /** The sender's identifier as it is shown; null where the webhook is known by its body alone. */
  eventId: string | null;
  type: string;
}

const defaultType = 'webhook';
const maxShownBytes = 255;

/** A function of the record alone, whatever its body is; never throws. */
export function identify(webhook: ReceivedWebhook): Identity {
  const json = createJsonBody(webhook.body);
  const sha256 = hash('sha256', webhook.body, 'buffer');
  const found = locate(webhook.identifyBy, json);
  const type = locate(webhook.typeBy, json);
  return {
    dedupKey: dedupKeyOf(webhook.tenant, webhook.sourceId, found ?? { kind: 'body', sha256 }),
    bodyHash: bodyHashOf(sha256),
    eventId: found === undefined ? null : shown(found),
    type: type === undefined ? defaultType : shown(type),
  };
}

/** Only non-empty texts and numbers identify: null, true or {} would make one of many. */
function locate(locators: readonly Locator[], json: JsonBody): Scalar | undefined {
  for (const locator of locators) {
    const scalar = 'value' in locator ? textOf(locator.value) : json.scalarAt(locator.pointer);
    if (scalar !== undefined) return scalar;
  }
  return undefined;
}

const textOf = (text: string): Scalar | undefined => (text === '' ? undefined : { kind: 'text', text });

/** What stores, headers and people can take: the identifier itself, or its hash where it is too long or has what Postgres refuses. */
function shown(identifier: Scalar & Identifier): string {
  const text = identifier.kind === 'text' ? identifier.text : identifier.source;
  const printable = text.isWellFormed() && !/\p{Cc}/u.test(text) && Buffer.byteLength(text) <= maxShownBytes;
  return printable ? text : identifierDigest(identifier);
}
