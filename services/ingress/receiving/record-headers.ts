import { header, type Locator, receivedWebhookHeaders } from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import type { HeaderValues } from '#lib/signatures';
import { headerText, keptHeaders } from './http-headers.ts';

/** The place of a source's identifier or type: an HTTP header by lower-case name, or a JSON pointer into the body. */
export type LocatorRule = { header: string } | { pointer: string };

export interface RecordRules {
  tenant: string;
  sourceId: string;
  identifyBy: readonly LocatorRule[];
  typeBy: readonly LocatorRule[];
  dedupTtlSeconds: number;
}

/** Facts that only the request has. */
interface Arrival {
  receiptId: string;
  /** Microseconds since the epoch. */
  receivedAt: number;
  headers: HeaderValues;
  orderingKey: string | null;
  traceparent: string;
}

export type RecordHeaders = (arrival: Arrival) => OutgoingRecord['headers'];

/** Parses a rule of a source's settings, `header:Name` or a JSON pointer (RFC 6901); undefined for anything else. */
export function parseLocatorRule(text: string): LocatorRule | undefined {
  const [, name] = /^header:([!#$%&'*+.^_`|~0-9A-Za-z-]+)$/.exec(text) ?? [];
  if (name !== undefined) return { header: name.toLowerCase() };
  return /^(?:\/(?:[^~/]|~[01])*)+$/.test(text) ? { pointer: text } : undefined;
}

/**
 * Makes the headers of a source's records (receivedWebhookHeaders of #lib/contract). The values that are the same for every webhook of the
 * source are encoded once.
 */
export function createRecordHeaders(rules: RecordRules): RecordHeaders {
  const template = receivedWebhookHeaders({
    ...rules,
    identifyBy: rules.identifyBy.filter((rule) => 'pointer' in rule),
    typeBy: rules.typeBy.filter((rule) => 'pointer' in rule),
    receiptId: '',
    receivedAt: 0,
    contentType: '',
    contentEncoding: null,
    httpHeaders: {},
    orderingKey: null,
    traceparent: '',
    origin: null,
  });
  const perSource = [header.tenant, header.sourceId, header.identifyBy, header.typeBy, header.dedupTtlSeconds];
  const constant = Object.fromEntries(perSource.map((name) => [name, Buffer.from(template[name] ?? '')]));
  const readsHeader = (list: readonly LocatorRule[]): boolean => list.some((rule) => 'header' in rule);
  const identifiedByHeader = readsHeader(rules.identifyBy);
  const typedByHeader = readsHeader(rules.typeBy);

  return ({ receiptId, receivedAt, headers, orderingKey, traceparent }) => {
    const record: Record<string, Buffer | string> = {
      ...constant,
      [header.receiptId]: receiptId,
      [header.receivedAt]: String(receivedAt),
      [header.contentType]: headerText(headers, 'content-type') ?? '',
      [header.httpHeaders]: keptHeaders(headers),
      [header.traceparent]: traceparent,
    };
    const contentEncoding = headerText(headers, 'content-encoding');
    if (contentEncoding !== undefined) record[header.contentEncoding] = contentEncoding;
    if (orderingKey !== null) record[header.orderingKey] = orderingKey;
    if (identifiedByHeader) record[header.identifyBy] = JSON.stringify(locatorsOf(rules.identifyBy, headers));
    if (typedByHeader) record[header.typeBy] = JSON.stringify(locatorsOf(rules.typeBy, headers));
    return record;
  };
}

/** Takes from the HTTP headers what is looked for there: a record is identified by itself alone. A header that is absent is no rule. */
export function locatorsOf(rules: readonly LocatorRule[], headers: HeaderValues): Locator[] {
  const locators: Locator[] = [];
  for (const rule of rules) {
    if ('pointer' in rule) {
      locators.push(rule);
      continue;
    }
    const value = headerText(headers, rule.header);
    if (value !== undefined) locators.push({ value });
  }
  return locators;
}
