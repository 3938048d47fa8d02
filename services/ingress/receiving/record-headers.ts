import {
  header,
  type IdentifierPlace,
  identityHeaders,
  type Locator,
  receivedWebhookHeaders,
  type SealedHeaders,
  type Trail,
  trailText,
  type WebhookIdentity,
} from '#lib/contract';
import type { OutgoingRecord } from '#lib/kafka';
import { isForm } from '#lib/payload';
import type { HeaderValues } from '#lib/signatures';
import { headerText, keptHeaders } from './http-headers.ts';
import { maskQuery } from './mask-query.ts';

/** The place of a source's identifier or type: an HTTP header by lower-case name, or a JSON pointer into the body. */
export type LocatorRule = { header: string } | { pointer: string };

/** The place of an identifier; a list joins its values. */
export type IdentifierRule = LocatorRule | { all: readonly LocatorRule[] };

export interface RecordRules {
  tenant: string;
  sourceId: string;
  identifyBy: readonly IdentifierRule[];
  /** The identifier counts together with this; a header only where the request has it. Null: it is exact. */
  countedWith: 'body' | 'receipt' | LocatorRule | null;
  /** Whether places of the identifier lead into forms. */
  identifiesForms: boolean;
  typeBy: readonly LocatorRule[];
  /** The place of each tag, by its name. */
  tagsBy: Readonly<Record<string, LocatorRule>>;
  /** Lower-case names of the headers that hold signatures. */
  signatureHeaders: readonly string[];
  dedupTtlSeconds: number;
  /** Seals a value of this header, by lower-case name. */
  seal(name: string, value: string): string;
}

/** Facts that only the request has. */
interface Arrival {
  receiptId: string;
  /** Microseconds since the epoch. */
  receivedAt: number;
  /** Node's flat list of names and values. */
  rawHeaders: readonly string[];
  /** The same by lower-case name. */
  headers: HeaderValues;
  method: string;
  /** Path and query. */
  url: string;
  /** The sender's. */
  address: string;
  orderingKey: string | null;
  traceparent: string;
  /** The sources that it had passed before. */
  trail: Trail;
  /** Lower-case names of headers that may be secrets and that an endpoint of the tenant wants: sources/credential-names.ts. */
  credentials: ReadonlySet<string> | undefined;
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
  const { tenant, sourceId, dedupTtlSeconds } = rules;
  const tagRules = Object.entries(rules.tagsBy);
  const template = receivedWebhookHeaders({
    tenant,
    sourceId,
    dedupTtlSeconds,
    ...identityOf(rules, noHeaders),
    typeBy: rules.typeBy.filter((rule) => 'pointer' in rule),
    tagsBy: Object.fromEntries(tagRules.flatMap(([name, rule]) => ('pointer' in rule ? [[name, rule]] : []))),
    receiptId: '',
    receivedAt: 0,
    contentType: '',
    contentEncoding: null,
    httpHeaders: {},
    orderingKey: null,
    traceparent: '',
    origin: null,
  });
  const perSource: string[] = [header.tenant, header.sourceId, header.typeBy, header.dedupTtlSeconds];
  if (header.tagsBy in template) perSource.push(header.tagsBy);
  const identityReadsRequest = readsRequest(rules);
  if (!identityReadsRequest)
    perSource.push(header.identifyBy, ...(header.dedupRule in template ? [header.dedupRule] : []));
  const constant = Object.fromEntries(perSource.map((name) => [name, Buffer.from(template[name] ?? '')]));
  const readsHeader = (list: readonly LocatorRule[]): boolean => list.some((rule) => 'header' in rule);
  const typedByHeader = readsHeader(rules.typeBy);
  const taggedByHeader = readsHeader(Object.values(rules.tagsBy));
  const requestText = createRequestText(rules.signatureHeaders);

  return (arrival) => {
    const { receiptId, receivedAt, headers, orderingKey, traceparent } = arrival;
    const sealed = sealHeaders(rules, arrival);
    const { joined, repeated } = keptHeaders(headers, sealed && ((name) => Object.hasOwn(sealed, name)));
    const record: Record<string, Buffer | string> = {
      ...constant,
      [header.receiptId]: receiptId,
      [header.receivedAt]: String(receivedAt),
      [header.contentType]: headerText(headers, 'content-type') ?? '',
      [header.httpHeaders]: joined,
      [header.request]: requestText(arrival, repeated),
      [header.traceparent]: traceparent,
    };
    if (arrival.trail.length > 0) record[header.trail] = trailText(arrival.trail);
    if (sealed !== undefined) record[header.sealedHeaders] = JSON.stringify(sealed);
    const contentEncoding = headerText(headers, 'content-encoding');
    if (contentEncoding !== undefined) record[header.contentEncoding] = contentEncoding;
    if (orderingKey !== null) record[header.orderingKey] = orderingKey;
    const isOwnForm = rules.identifiesForms && isForm(headerText(headers, 'content-type') ?? '');
    if (identityReadsRequest || isOwnForm)
      Object.assign(record, identityHeaders(identityOf(rules, headers), receiptId));
    if (typedByHeader) record[header.typeBy] = JSON.stringify(locatorsOf(rules.typeBy, headers));
    if (taggedByHeader) {
      const tags = locatedTags(tagRules, headers);
      if (tags.length > 0) record[header.tagsBy] = JSON.stringify(Object.fromEntries(tags));
    }
    return record;
  };
}

/** Undefined if there are none. What the source's own signature is in is nobody else's. */
function sealHeaders(
  { signatureHeaders, seal }: RecordRules,
  { headers, credentials }: Arrival,
): SealedHeaders | undefined {
  if (credentials === undefined) return undefined;
  const sealed: [string, string[]][] = [];
  for (const name of credentials) {
    const value = headers[name];
    if (value === undefined || signatureHeaders.includes(name)) continue;
    sealed.push([name, [value].flat().map((each) => seal(name, each))]);
  }
  return sealed.length === 0 ? undefined : Object.fromEntries(sealed);
}

/**
 * Writes a `ReceivedRequest` of #lib/contract. Its beginning is the same for all requests to the source; names are tokens, which JSON takes as
 * they are; their values are in another header of the record already.
 */
function createRequestText(signatureHeaders: readonly string[]): (arrival: Arrival, repeated: string) => string {
  const begin = `{"secret":${JSON.stringify(signatureHeaders)},"method":"`;
  return ({ method, url, address, rawHeaders }, repeated) => {
    let names = rawHeaders[0] ?? '';
    for (let index = 2; index < rawHeaders.length; index += 2) names += `,${rawHeaders[index] as string}`;
    const end = repeated === '' ? '}' : `,"repeated":${repeated}}`;
    return `${begin}${method}","path":${JSON.stringify(maskQuery(url))},"address":${JSON.stringify(address)},"names":"${names}"${end}`;
  };
}

const locatedTags = (rules: readonly (readonly [string, LocatorRule])[], headers: HeaderValues): [string, Locator][] =>
  rules.flatMap(([name, rule]) => locatorsOf([rule], headers).map((locator): [string, Locator] => [name, locator]));

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

// No prototype: `constructor` is a valid header name.
const noHeaders = Object.create(null) as HeaderValues;

/** The rule of one webhook: a list of places without one of its headers is no place. */
function identityOf({ identifyBy, countedWith, identifiesForms }: RecordRules, headers: HeaderValues): WebhookIdentity {
  const places = identifyBy.flatMap((rule): IdentifierPlace[] => {
    if (!('all' in rule)) return locatorsOf([rule], headers);
    const all = locatorsOf(rule.all, headers);
    return all.length === rule.all.length ? [{ all }] : [];
  });
  const identifiesForm = identifiesForms && isForm(headerText(headers, 'content-type') ?? '');
  if (countedWith === null || typeof countedWith === 'string')
    return { identifyBy: places, countedWith, identifiesForm };
  const [found] = places.length === 0 ? [] : locatorsOf([countedWith], headers);
  return { identifyBy: places, countedWith: found !== undefined && 'value' in found ? found : null, identifiesForm };
}

/** Whether the headers of the identity are not the same for every webhook of the source. */
const readsRequest = ({ identifyBy, countedWith }: RecordRules): boolean =>
  !(countedWith === null || countedWith === 'body') || !identifyBy.every((rule) => 'pointer' in rule);
