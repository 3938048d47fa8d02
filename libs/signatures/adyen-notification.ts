import { isUtf8 } from 'node:buffer';
import type { SignatureRejection } from './scheme.ts';

/** Adyen sends one item in JSON, of some kilobytes, and had six at most in SOAP. A stranger's megabyte takes 70 ms to parse. */
const maxItems = 50;
const maxBytes = 256 * 1024;

export interface SignedItem {
  /** The fields as they are signed. */
  signed: string;
  signature: string;
}

/** The items of a standard notification with their signed text; never throws. */
export function signedItemsOf(body: Buffer): { items: readonly SignedItem[] } | { rejection: SignatureRejection } {
  if (body.length > maxBytes) return { rejection: 'signature_malformed' };
  const notifications = member(parse(body), 'notificationItems');
  if (!Array.isArray(notifications) || notifications.length === 0) return { rejection: 'signature_missing' };
  if (notifications.length > maxItems) return { rejection: 'signature_malformed' };
  const items: SignedItem[] = [];
  for (const notification of notifications) {
    const item = member(notification, 'NotificationRequestItem');
    const signature = member(member(item, 'additionalData'), 'hmacSignature');
    if (typeof signature !== 'string' || signature === '') return { rejection: 'signature_missing' };
    const fields = signedFields(item).map(textOf);
    if (fields.includes(undefined)) return { rejection: 'signature_malformed' };
    items.push({ signature, signed: fields.join(':') });
  }
  return { items };
}

/**
 * In this order, joined by colons without escaping: Adyen's manual once required it, but neither their system nor their libraries do it.
 */
function signedFields(item: unknown): unknown[] {
  const amount = member(item, 'amount');
  return [
    member(item, 'pspReference'),
    member(item, 'originalReference'),
    member(item, 'merchantAccountCode'),
    member(item, 'merchantReference'),
    member(amount, 'value'),
    member(amount, 'currency'),
    member(item, 'eventCode'),
    member(item, 'success'),
  ];
}

/** The value as signed; undefined for an object, which is never signed, and for a number above 2^53, which parsing changes. */
function textOf(field: unknown): string | undefined {
  if (field === undefined || field === null) return '';
  if (typeof field === 'string') return field;
  if (typeof field === 'boolean') return String(field);
  return typeof field === 'number' && Number.isSafeInteger(field) ? String(field) : undefined;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** The parser takes any depth without recursion; the body's length limits its result. */
function parse(body: Buffer): unknown {
  // Decoding would make every wrong byte the same U+FFFD, and so two texts one.
  if (!isUtf8(body)) return undefined;
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
