import { hash } from 'node:crypto';
import { decodeContent } from '#lib/content-coding';
import { isTagValue, type Locator, type ReceivedWebhook, type Tags } from '#lib/contract';
import { bodyHashOf, dedupKeyOf } from '#lib/dedup-store';
import { createJsonBody, locateScalar, type Scalar, shownScalar } from '#lib/json-locator';

export interface Identity {
  dedupKey: Buffer;
  bodyHash: Buffer;
  /** The sender's identifier as displayed; null if the body identifies the webhook. */
  eventId: string | null;
  type: string;
  tags: Tags;
}

const defaultType = 'webhook';

/** A function of the record alone, for any body; never throws. @param content searched instead of the body */
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
    tags: tagsOf(webhook, json),
  };
}

const noTags: Tags = {};

/** A value that can't be a tag, because it is too long or of several lines, makes none: cut, it would be another. */
function tagsOf({ tagsBy }: ReceivedWebhook, json: ReturnType<typeof createJsonBody>): Tags {
  const rules = Object.entries(tagsBy);
  if (rules.length === 0) return noTags;
  return Object.fromEntries(
    rules.flatMap(([name, locator]) => {
      const found = locateScalar([locator], json);
      const value = found === undefined ? '' : textOf(found);
      return isTagValue(value) ? [[name, value]] : [];
    }),
  );
}

const textOf = (scalar: Scalar): string => (scalar.kind === 'text' ? scalar.text : scalar.source);

/**
 * The content to search for identifiers: the decoded body, if it is encoded and a pointer leads into it. A body that can't be decoded is
 * used as it stands; a webhook without an identifier is known by its hash. Never rejects.
 */
export async function identifyingContent(webhook: ReceivedWebhook): Promise<Buffer> {
  const { body, contentEncoding, identifyBy, typeBy, tagsBy } = webhook;
  const asked = [identifyBy, typeBy, ...Object.values(tagsBy).map((locator) => [locator])];
  if (contentEncoding === null || !asked.some(leadsIntoBody)) return body;
  const decoded = await decodeContent(body, contentEncoding);
  return 'content' in decoded ? decoded.content : body;
}

/** Whether a pointer is reached before a non-empty fixed value. */
function leadsIntoBody(locators: readonly Locator[]): boolean {
  const asked = locators.find((locator) => 'pointer' in locator || locator.value !== '');
  return asked !== undefined && 'pointer' in asked;
}
