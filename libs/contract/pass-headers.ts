/**
 * The headers of a webhook that go to the receiver too, because its endpoint asks for them (`pass_headers`). Never passed are headers that
 * Hookline sets itself, those of the one connection (RFC 9110, 7.6.1), and whatever may be a secret: signatures, cookies, keys. Values of
 * the last kind are not kept, and so can't be passed.
 */
import { isReservedHeader, isSensitiveHeader } from './endpoint-headers.ts';
import type { EventRequest } from './webhook-request.ts';

/** Name as the sender spelled it, and value. */
export type PassedHeader = readonly [name: string, value: string];

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
  if (isSensitiveHeader(name)) return 'may be a secret, which is not passed on';
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
      (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) &&
      !isReservedHeader(name) &&
      !isSensitiveHeader(name) &&
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
  let bytes = 0;
  for (const { name, value } of request.headers) {
    const lower = name.toLowerCase();
    if (value === null || ofConnection.has(lower) || !rules.takes(lower) || !isHeader(name, value)) continue;
    bytes += name.length + value.length;
    if (bytes > maxPassedBytes) break;
    passed.push([name, value]);
  }
  return passed;
}

/** The headers that the sender's `Connection` names are for the connection to us alone. */
function connectionOptions({ headers }: EventRequest): ReadonlySet<string> {
  const named = headers.filter(({ name }) => name.toLowerCase() === 'connection').map(({ value }) => value ?? '');
  return new Set(named.flatMap((value) => value.split(',')).map((option) => option.trim().toLowerCase()));
}

/** Undefined for a text that is no list of headers. */
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
