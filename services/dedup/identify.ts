import { hash } from 'node:crypto';
import {
  type CountedWith,
  type IdentifierPlace,
  isTagValue,
  type Locator,
  type ReceivedWebhook,
  type Tags,
} from '#lib/contract';
import { bodyHashOf, compoundKeyOf, dedupKeyOf, type Identifier } from '#lib/dedup-store';
import { canonicalNumber } from '#lib/exact-json';
import {
  createJsonBody,
  decodeContent,
  isForm,
  type JsonBody,
  jsonOfBody,
  locateScalar,
  type Scalar,
  shownScalar,
} from '#lib/payload';

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
  const json = createJsonBody(jsonOfBody(content, webhook.contentType));
  const sha256 = hash('sha256', webhook.body, 'buffer');
  const identifying = webhook.identifiesForm || !isForm(webhook.contentType) ? json : createJsonBody(content);
  const found = findIdentifier(webhook.identifyBy, identifying);
  const type = locateScalar(webhook.typeBy, json);
  return {
    dedupKey: keyOf(webhook, found, sha256),
    bodyHash: bodyHashOf(sha256),
    eventId: found?.shown ?? null,
    type: type === undefined ? defaultType : shownScalar(type),
    tags: tagsOf(webhook, json),
  };
}

interface FoundIdentifier {
  values: Scalar[];
  shown: string;
}

/** The first place that leads to a value; a list of places leads to one only if each of them does. */
function findIdentifier(places: readonly IdentifierPlace[], json: JsonBody): FoundIdentifier | undefined {
  for (const place of places) {
    const values = locatorsIn(place).map((locator) => locateScalar([locator], json));
    const [first, ...others] = values.filter((value) => value !== undefined);
    if (first === undefined || others.length + 1 < values.length) continue;
    const joined: Scalar = { kind: 'text', text: [first, ...others].map(textOf).join(':') };
    return { values: [first, ...others], shown: shownScalar(others.length === 0 ? first : joined) };
  }
  return undefined;
}

/**
 * Two webhooks of a source with one key are one event. An exact identifier is the key; one that counts together with the body, the receipt
 * or a header has both in it.
 */
function keyOf(
  { tenant, sourceId, receiptId, countedWith }: ReceivedWebhook,
  found: FoundIdentifier | undefined,
  sha256: Buffer,
): Buffer {
  const body: Identifier = { kind: 'body', sha256 };
  const receipt: Identifier = { kind: 'receipt', id: receiptId };
  if (found === undefined) return dedupKeyOf(tenant, sourceId, countedWith === 'receipt' ? receipt : body);
  const { values, shown } = found;
  const [first] = values;
  if (countedWith === null && first !== undefined && values.length === 1) return dedupKeyOf(tenant, sourceId, first);
  const others = countedWith === null ? [] : [otherPart(countedWith, { body, receipt })];
  return compoundKeyOf(tenant, sourceId, { shown, parts: [...values, ...others] });
}

function otherPart(countedWith: CountedWith, { body, receipt }: Record<'body' | 'receipt', Identifier>): Identifier {
  if (countedWith === 'body') return body;
  return countedWith === 'receipt' ? receipt : { kind: 'text', text: countedWith.value };
}

const noTags: Tags = {};

/** A value that can't be a tag, because it is too long or of several lines, makes none: cut, it would be another. */
function tagsOf({ tagsBy }: ReceivedWebhook, json: ReturnType<typeof createJsonBody>): Tags {
  const rules = Object.entries(tagsBy);
  if (rules.length === 0) return noTags;
  return Object.fromEntries(
    rules.flatMap(([name, locator]) => {
      const found = locateScalar([locator], json);
      const value = found === undefined ? '' : tagOf(found);
      return isTagValue(value) ? [[name, value]] : [];
    }),
  );
}

/** Numbers of one value are one tag. */
const tagOf = (scalar: Scalar): string => (scalar.kind === 'text' ? scalar.text : canonicalNumber(scalar.source));

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
function leadsIntoBody(places: readonly IdentifierPlace[]): boolean {
  const asked = places.map(locatorsIn).find((all) => all.every((one) => 'pointer' in one || one.value !== ''));
  return asked?.some((one) => 'pointer' in one) ?? false;
}

const locatorsIn = (place: IdentifierPlace): readonly Locator[] => ('all' in place ? place.all : [place]);
