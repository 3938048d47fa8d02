/**
 * The headers of a webhook that go to the receiver too, because its endpoint asks for them (`pass_headers`). Never passed are headers that
 * Hookline sets itself, those of the one connection (RFC 9110, 7.6.1), and those that the source's scheme reads a secret or a signature from.
 * Other headers that may be secrets (cookies, keys, tokens) are passed only where a rule is the whole name. Their values are sealed from the
 * ingress to the request (sealed-headers.ts); values that no endpoint names are not kept.
 */
import { isReservedHeader, isSensitiveHeader } from './endpoint-headers.ts';
import type { EventRequest } from './webhook-request.ts';

/** Name as the sender spelled it, and value; or the sealed value of a credential. */
export type PassedHeader = readonly [name: string, value: string, form?: 'sealed'];

/** The rules of an endpoint. */
export interface PassHeaders {
  /** @param name lower-case */
  takes(name: string): boolean;
}

/** Set unless an endpoint sets it itself. */
const setByDefault = 'user-agent';

/** The form of a rule: a name, or the beginning of one with an asterisk behind it. */
export const passRulePattern = "^[!#$%&'+.^_`|~0-9A-Za-z-]{1,100}\\*?$";

/** Why a rule can't be used; undefined if it can. */
export function problemOfPassRule(rule: string): string | undefined {
  const name = rule.replace(/\*$/, '');
  if (isReservedHeader(name) || name.toLowerCase() === setByDefault) return "is Hookline's own";
  if (isSensitiveHeader(name) && rule.endsWith('*'))
    return 'may match headers that hold secrets: give the whole name of each of those';
  return undefined;
}

/** Undefined: the endpoint asks for none. */
export function compilePassHeaders(rules: readonly string[] | null | undefined): PassHeaders | undefined {
  if (rules === null || rules === undefined || rules.length === 0) return undefined;
  const lower = rules.map((rule) => rule.toLowerCase());
  const names = new Set(lower.filter((rule) => !rule.endsWith('*')));
  const prefixes = lower.filter((rule) => rule.endsWith('*')).map((rule) => rule.slice(0, -1));
  return {
    takes: (name) =>
      (names.has(name) || (prefixes.some((prefix) => name.startsWith(prefix)) && !isSensitiveHeader(name))) &&
      !isReservedHeader(name) &&
      name !== setByDefault,
  };
}

/** More than an event keeps of its request's headers. */
const maxPassedBytes = 16 * 1024;

/** In the order in which they came. */
export function passedHeaders(rules: PassHeaders | undefined, request: EventRequest | null): PassedHeader[] {
  if (rules === undefined || request === null) return [];
  const ofConnection = connectionOptions(request);
  const passed: PassedHeader[] = [];
  const nextSealed = sealedInOrder(request);
  let bytes = 0;
  for (const { name, value: plain } of request.headers) {
    const lower = name.toLowerCase();
    const value = plain ?? nextSealed(lower);
    if (value === undefined || ofConnection.has(lower) || !rules.takes(lower) || !isHeader(name, value)) continue;
    bytes += name.length + value.length;
    if (bytes > maxPassedBytes) break;
    passed.push(plain === null ? [name, value, 'sealed'] : [name, value]);
  }
  return passed;
}

/** The sealed values of a header, one after the other. */
function sealedInOrder({ sealed = {} }: EventRequest): (name: string) => string | undefined {
  const taken = new Map<string, number>();
  return (name) => {
    if (!Object.hasOwn(sealed, name)) return undefined;
    const place = taken.get(name) ?? 0;
    taken.set(name, place + 1);
    return sealed[name]?.[place];
  };
}

/** The headers that the sender's `Connection` names are for the connection to us alone. */
function connectionOptions({ headers }: EventRequest): ReadonlySet<string> {
  const named = headers.filter(({ name }) => name.toLowerCase() === 'connection').map(({ value }) => value ?? '');
  return new Set(named.flatMap((value) => value.split(',')).map((option) => option.trim().toLowerCase()));
}

/** Undefined for a text that is not a list of headers. */
export function parsePassedHeaders(text: string): PassedHeader[] | undefined {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return undefined;
  }
  return Array.isArray(list) && list.every(isPair) ? (list as PassedHeader[]) : undefined;
}

const isPair = (pair: unknown): boolean =>
  Array.isArray(pair) &&
  pair.length === 2 &&
  typeof pair[0] === 'string' &&
  typeof pair[1] === 'string' &&
  isHeader(pair[0], pair[1]);

/** The rule for a header (RFC 9110, 5.1 and 5.5); a character is a byte. */
const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
