/**
 * A record of `deliveries`: its value is the payload to send, its key the endpoint's id, so that one partition, and so one owner, has
 * all of an endpoint's deliveries. No URL and no secret is part of it: those are the endpoint's as they are when it is sent.
 */
import { header, type HeaderText } from './headers.ts';
import { parsePassedHeaders, type PassedHeader } from './pass-headers.ts';
import { wholeNumber } from './received-webhook.ts';
import { isCount, isName, isShortText } from './record-text.ts';
import { parseTrail, type Trail, trailText } from './trail.ts';

export interface Delivery {
  id: string;
  tenant: string;
  eventId: string;
  eventType: string;
  endpointId: string;
  /** 0, and one more for each replay of the event. */
  generation: number;
  /** Microseconds since the epoch; the retry window counts from here. */
  createdAt: number;
  /** Microseconds since the epoch: when the ingress accepted the webhook. */
  receivedAt: number;
  orderingKey: string | null;
  contentType: string;
  /** That of the payload; null where there is none. */
  contentEncoding: string | null;
  /** The provider's headers that the endpoint asks for. */
  passedHeaders: readonly PassedHeader[];
  /** The sources that its event has passed, its own the last one. */
  trail: Trail;
  traceparent: string;
  /** Somebody waits for its first attempt: it passes the queue and the breaker of its endpoint. */
  isUrgent?: true;
  payload: Buffer;
}

export function deliveryHeaders(delivery: Omit<Delivery, 'payload'>): Record<string, string> {
  const headers: Record<string, string> = {
    [header.tenant]: delivery.tenant,
    [header.deliveryId]: delivery.id,
    [header.eventId]: delivery.eventId,
    [header.eventType]: delivery.eventType,
    [header.endpointId]: delivery.endpointId,
    [header.generation]: String(delivery.generation),
    [header.createdAt]: String(delivery.createdAt),
    [header.receivedAt]: String(delivery.receivedAt),
    [header.contentType]: delivery.contentType,
    [header.traceparent]: delivery.traceparent,
  };
  if (delivery.passedHeaders.length > 0) {
    const plain = delivery.passedHeaders.filter(([, , form]) => form === undefined);
    const sealed = delivery.passedHeaders.filter(([, , form]) => form === 'sealed');
    if (plain.length > 0) headers[header.passedHeaders] = JSON.stringify(plain);
    if (sealed.length > 0)
      headers[header.passedCredentials] = JSON.stringify(sealed.map(([name, value]) => [name, value]));
  }
  if (delivery.trail.length > 0) headers[header.trail] = trailText(delivery.trail);
  if (delivery.contentEncoding !== null) headers[header.contentEncoding] = delivery.contentEncoding;
  if (delivery.orderingKey !== null) headers[header.orderingKey] = delivery.orderingKey;
  if (delivery.isUrgent) headers[header.urgent] = '1';
  return headers;
}

const names = [header.tenant, header.deliveryId, header.eventId, header.endpointId];

/** Texts that are sent to the receiver or stored about it. */
const texts = [
  header.eventType,
  header.contentType,
  header.contentEncoding,
  header.orderingKey,
  header.passedHeaders,
  header.passedCredentials,
  header.traceparent,
];

/** The delivery of a record, or what is wrong with the record (it then goes to the dead letters, whole). */
export function parseDelivery(headers: HeaderText, payload: Buffer): Delivery | { malformed: string } {
  for (const name of names) if (!headers[name]) return { malformed: `header ${name} is missing` };
  for (const name of names) if (!isName(headers[name] ?? '')) return { malformed: `header ${name} is not an id` };
  for (const name of texts) if (!isShortText(headers[name] ?? '')) return { malformed: `header ${name} is too long` };
  const generation = wholeNumber(headers[header.generation]);
  const createdAt = wholeNumber(headers[header.createdAt]);
  const receivedAt = wholeNumber(headers[header.receivedAt]);
  if (generation === undefined || createdAt === undefined || receivedAt === undefined) {
    return {
      malformed: `one of ${header.generation}, ${header.createdAt}, ${header.receivedAt} is not a whole number`,
    };
  }
  if (!isCount(generation)) return { malformed: `header ${header.generation} is above the highest generation` };
  const passedHeaders = readPassedHeaders(headers);
  if ('malformed' in passedHeaders) return passedHeaders;
  const delivery: Delivery = {
    id: headers[header.deliveryId] ?? '',
    tenant: headers[header.tenant] ?? '',
    eventId: headers[header.eventId] ?? '',
    eventType: headers[header.eventType] ?? '',
    endpointId: headers[header.endpointId] ?? '',
    generation,
    createdAt,
    receivedAt,
    orderingKey: headers[header.orderingKey] ?? null,
    contentType: headers[header.contentType] ?? '',
    contentEncoding: headers[header.contentEncoding] || null,
    passedHeaders,
    trail: parseTrail(headers[header.trail]),
    traceparent: headers[header.traceparent] ?? '',
    payload,
  };
  if (headers[header.urgent] === '1') delivery.isUrgent = true;
  return delivery;
}

const nonePassed: readonly PassedHeader[] = [];

function readPassedHeaders(headers: HeaderText): readonly PassedHeader[] | { malformed: string } {
  const { [header.passedHeaders]: plainText, [header.passedCredentials]: sealedText } = headers;
  if (plainText === undefined && sealedText === undefined) return nonePassed;
  const plain = plainText === undefined ? nonePassed : parsePassedHeaders(plainText);
  if (plain === undefined) return { malformed: `header ${header.passedHeaders} is not a list of headers` };
  const sealed = sealedText === undefined ? nonePassed : parsePassedHeaders(sealedText);
  if (sealed === undefined) return { malformed: `header ${header.passedCredentials} is not a list of headers` };
  return [...plain, ...sealed.map(([name, value]): PassedHeader => [name, value, 'sealed'])];
}
