/**
 * A record of `webhooks.received`: the value is the sender's bytes, the rest is headers. It carries the rules by which it is
 * identified, so that its dedup key is a function of the record alone: a change of the source between a crash and the redelivery
 * can't give one webhook two keys.
 */
import { header, type HeaderText } from './headers.ts';
import { parseSealedHeaders, type SealedHeaders } from './sealed-headers.ts';
import { isTagName } from './tags.ts';
import { parseTrail, type Trail, trailText } from './trail.ts';
import {
  identityHeaders,
  isLocator,
  isLocators,
  type Locator,
  parseIdentity,
  type WebhookIdentity,
} from './webhook-identity.ts';
import { parseReceivedRequest, type ReceivedRequest } from './webhook-request.ts';

export interface ReceivedWebhook extends WebhookIdentity {
  tenant: string;
  sourceId: string;
  receiptId: string;
  /** Microseconds since the epoch. */
  receivedAt: number;
  contentType: string;
  /** As the sender wrote it: the body is kept so encoded. Null where there is none. */
  contentEncoding: string | null;
  httpHeaders: Readonly<Record<string, string>>;
  /** Credentials that an endpoint names; not among `httpHeaders`. */
  sealedHeaders: SealedHeaders;
  typeBy: readonly Locator[];
  /** The place of each tag, by its name. */
  tagsBy: Readonly<Record<string, Locator>>;
  /** Null: the webhook did not come by HTTP, or an older ingress wrote its record. */
  request: ReceivedRequest | null;
  /** The sources that it had passed before. */
  trail: Trail;
  dedupTtlSeconds: number;
  orderingKey: string | null;
  traceparent: string;
  /** Set on a record that was written again (a retry, a replay); on the ingress's own record it is the record's position. */
  origin: string | null;
  body: Buffer;
}

/** Fields that not every webhook has. */
type Optional = 'sealedHeaders' | 'tagsBy' | 'request' | 'trail' | 'countedWith' | 'identifiesForm';

export function receivedWebhookHeaders(
  webhook: Omit<ReceivedWebhook, 'body' | Optional> & Partial<Pick<ReceivedWebhook, Optional>>,
): Record<string, string> {
  const { sealedHeaders = {}, tagsBy = {}, request = null, trail = [] } = webhook;
  const { countedWith = null, identifiesForm = false } = webhook;
  const headers: Record<string, string> = {
    [header.tenant]: webhook.tenant,
    [header.sourceId]: webhook.sourceId,
    [header.receiptId]: webhook.receiptId,
    [header.receivedAt]: String(webhook.receivedAt),
    [header.contentType]: webhook.contentType,
    [header.httpHeaders]: JSON.stringify(webhook.httpHeaders),
    ...identityHeaders({ identifyBy: webhook.identifyBy, countedWith, identifiesForm }, webhook.receiptId),
    [header.typeBy]: JSON.stringify(webhook.typeBy),
    [header.dedupTtlSeconds]: String(webhook.dedupTtlSeconds),
    [header.traceparent]: webhook.traceparent,
  };
  if (Object.keys(sealedHeaders).length > 0) headers[header.sealedHeaders] = JSON.stringify(sealedHeaders);
  if (Object.keys(tagsBy).length > 0) headers[header.tagsBy] = JSON.stringify(tagsBy);
  if (request !== null) headers[header.request] = JSON.stringify(request);
  if (trail.length > 0) headers[header.trail] = trailText(trail);
  if (webhook.contentEncoding !== null) headers[header.contentEncoding] = webhook.contentEncoding;
  if (webhook.orderingKey !== null) headers[header.orderingKey] = webhook.orderingKey;
  if (webhook.origin !== null) headers[header.origin] = webhook.origin;
  return headers;
}

/** The webhook of a record, or what is wrong with the record (it then goes to the dead letters, whole). */
export function parseReceivedWebhook(headers: HeaderText, body: Buffer): ReceivedWebhook | { malformed: string } {
  const missing = [header.tenant, header.sourceId, header.receiptId].find((name) => !headers[name]);
  if (missing !== undefined) return { malformed: `header ${missing} is missing` };
  const receivedAt = wholeNumber(headers[header.receivedAt]);
  if (receivedAt === undefined) return { malformed: `header ${header.receivedAt} is not a time in microseconds` };
  const dedupTtlSeconds = wholeNumber(headers[header.dedupTtlSeconds]);
  if (dedupTtlSeconds === undefined)
    return { malformed: `header ${header.dedupTtlSeconds} is not a number of seconds` };
  const httpHeaders = parseJson(headers[header.httpHeaders] ?? '{}');
  if (!isTextRecord(httpHeaders)) return { malformed: `header ${header.httpHeaders} is not a JSON object of strings` };
  const identity = parseIdentity(headers);
  if ('malformed' in identity) return identity;
  const typeBy = parseJson(headers[header.typeBy] ?? '[]');
  if (!isLocators(typeBy)) return { malformed: `header ${header.typeBy} is not a JSON array of locators` };
  const tagsBy = parseJson(headers[header.tagsBy] ?? '{}');
  if (!isTagRules(tagsBy)) return { malformed: `header ${header.tagsBy} is not a JSON object of locators` };
  return {
    tenant: headers[header.tenant] ?? '',
    sourceId: headers[header.sourceId] ?? '',
    receiptId: headers[header.receiptId] ?? '',
    receivedAt,
    contentType: headers[header.contentType] ?? '',
    // Records written before this header existed have it among the HTTP headers.
    contentEncoding: headers[header.contentEncoding] ?? (httpHeaders['content-encoding'] || null),
    httpHeaders,
    sealedHeaders: parseSealedHeaders(headers[header.sealedHeaders]),
    ...identity,
    typeBy,
    tagsBy,
    request: parseReceivedRequest(headers[header.request]),
    trail: parseTrail(headers[header.trail]),
    dedupTtlSeconds,
    orderingKey: headers[header.orderingKey] ?? null,
    traceparent: headers[header.traceparent] ?? '',
    origin: headers[header.origin] ?? null,
    body,
  };
}

export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$|^[1-8]\d{15}$/.test(text) ? Number(text) : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((entry) => typeof entry === 'string')
  );
}

function isTagRules(value: unknown): value is Record<string, Locator> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, locator]) => isTagName(name) && isLocator(locator));
}
