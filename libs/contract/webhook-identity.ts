/**
 * How a webhook of `webhooks.received` is identified: the places of its identifier, and what the identifier counts together with.
 *
 * | rule                                      | `hookline-identify-by`         | `hookline-dedup-rule`          |
 * |-------------------------------------------|--------------------------------|--------------------------------|
 * | single places, and the identifier alone   | the places                     | absent                         |
 * | places, together with the body            | none: the body alone           | places, `"with":"body"`        |
 * | anything else                             | the receipt's id               | places, what they count with   |
 *
 * `"form":true` in the rule: places lead into a form, too. An older dedup finds nothing there, and takes the body.
 *
 * A dedup from before the second header reads the first: it must tell apart at least what the rule tells apart, or it would drop webhooks
 * while a version is rolled back. Records without the second header have the rule of the first row.
 */
import { header, type HeaderText } from './headers.ts';

/**
 * A place to look for an identifier or a type; several are tried in order. Either a value that the ingress already took from an HTTP
 * header, or a JSON pointer (RFC 6901) into the body.
 */
export type Locator = { value: string } | { pointer: string };

/** A place of an identifier; a list joins its values, and leads to nothing unless all of them are there. */
export type IdentifierPlace = Locator | { all: readonly Locator[] };

/** Webhooks that have the same identifier are told apart by this: their bodies, their receipts (each is an event), or a value of another header. */
export type CountedWith = 'body' | 'receipt' | { value: string };

export interface WebhookIdentity {
  identifyBy: readonly IdentifierPlace[];
  /** Null: the identifier is exact. */
  countedWith: CountedWith | null;
  /** The body is a form in which places may lead to values. False for sources that are older than this: they keep their identifiers. */
  identifiesForm: boolean;
}

/** The headers of a record for this rule. */
export function identityHeaders(
  { identifyBy, countedWith, identifiesForm }: WebhookIdentity,
  receiptId: string,
): Record<string, string> {
  const isPlain = countedWith === null && !identifyBy.some((place) => 'all' in place);
  if (isPlain && !identifiesForm) return { [header.identifyBy]: JSON.stringify(identifyBy) };
  const forOlder = isPlain ? identifyBy : countedWith === 'body' ? [] : [{ value: receiptId }];
  const rule: Rule = { by: identifyBy, ...(countedWith !== null && { with: countedWith }) };
  return {
    [header.identifyBy]: JSON.stringify(forOlder),
    [header.dedupRule]: JSON.stringify({ ...rule, ...(identifiesForm && { form: true }) }),
  };
}

export function parseIdentity(headers: HeaderText): WebhookIdentity | { malformed: string } {
  const identifyBy = parseJson(headers[header.identifyBy] ?? '[]');
  if (!isLocators(identifyBy)) return { malformed: `header ${header.identifyBy} is not a JSON array of locators` };
  const text = headers[header.dedupRule];
  if (text === undefined) return { identifyBy, countedWith: null, identifiesForm: false };
  const rule = parseJson(text);
  if (!isRule(rule)) return { malformed: `header ${header.dedupRule} is not a rule` };
  return { identifyBy: rule.by, countedWith: rule.with ?? null, identifiesForm: rule.form ?? false };
}

interface Rule {
  by: readonly IdentifierPlace[];
  with?: CountedWith;
  form?: boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isRule(value: unknown): value is Rule {
  if (!isObject(value) || !Array.isArray(value['by'])) return false;
  const { by, with: countedWith, form } = value;
  if (form !== undefined && typeof form !== 'boolean') return false;
  const isCountedWith =
    countedWith === undefined ||
    countedWith === 'body' ||
    countedWith === 'receipt' ||
    (isObject(countedWith) && typeof countedWith['value'] === 'string');
  return isCountedWith && by.every((place) => isLocator(place) || (isObject(place) && isLocators(place['all'])));
}

export const isLocators = (value: unknown): value is Locator[] => Array.isArray(value) && value.every(isLocator);

export const isLocator = (value: unknown): value is Locator =>
  isObject(value) && (typeof value['value'] === 'string' || typeof value['pointer'] === 'string');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
