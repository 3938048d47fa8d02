/**
 * The header `Hookline-Trail`, which tells the ingress what sources a webhook has passed that the dispatcher sends (libs/contract/trail.ts):
 *
 *   v1 . mark of a source . … . HMAC-SHA-256 over all before it, its first half
 *
 * It is signed, so that nobody else can end the way of a webhook, or hide where it was. The key derives from HOOKLINE_ENCRYPTION_KEYS, which
 * ingress and dispatcher share: the first one signs, all verify, so a trail outlives a rotation. One of another installation counts as none.
 *
 * A trail is not bound to its webhook: who was sent one may send it on, and only ends webhooks that it sends itself.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { maxTrailLength, parseTrail, type Trail, trailText } from '#lib/contract';
import { AppError } from '#lib/runtime';
import type { EncryptionKey } from '#lib/secret-box';

export interface Trails {
  /** Undefined for an empty trail: then there is no header. */
  sign(trail: Trail): string | undefined;
  /** Empty where there is none, or none of ours. A header that came several times has several values. */
  read(header: string | readonly string[] | undefined): Trail;
}

const form = 'v1';
const macBytes = 16;
const signed = /^(v1\.[A-Za-z0-9_.-]{1,200})\.([A-Za-z0-9_-]{22})$/;
/** Senders decide how many come. */
const maxValues = 4;
const maxKnown = 10_000;

/** @throws AppError config_invalid without a key */
export function createTrails(encryptionKeys: readonly EncryptionKey[]): Trails {
  const [active, ...older] = encryptionKeys.map(({ key }) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'hookline trail', 32))),
  );
  if (active === undefined) throw new AppError('config_invalid', 'HOOKLINE_ENCRYPTION_KEYS names no key');
  const macOf = (key: KeyObject, text: string): Buffer =>
    createHmac('sha256', key).update(text).digest().subarray(0, macBytes);
  /** All events of a source have the same trail, but for those that come from another one. */
  const known = new Map<string, string>();

  function readOne(value: string): Trail {
    const [, text, mac = ''] = signed.exec(value.trim()) ?? [];
    if (text === undefined) return [];
    const trail = parseTrail(text.slice(form.length + 1));
    if (trail.length === 0) return [];
    const given = Buffer.from(mac, 'base64url');
    // 22 characters hold 132 bits: there is one way to write each MAC.
    if (given.length !== macBytes || given.toString('base64url') !== mac) return [];
    return [active as KeyObject, ...older].some((key) => timingSafeEqual(macOf(key, text), given)) ? trail : [];
  }

  return {
    sign(trail) {
      if (trail.length === 0) return undefined;
      const text = `${form}.${trailText(trail.slice(0, maxTrailLength))}`;
      const before = known.get(text);
      if (before !== undefined) return before;
      const header = `${text}.${macOf(active, text).toString('base64url')}`;
      if (known.size >= maxKnown) known.clear();
      known.set(text, header);
      return header;
    },
    read(header) {
      if (header === undefined) return [];
      const values = [header].flat().flatMap((each) => each.split(',', maxValues));
      for (const value of values.slice(0, maxValues)) {
        const trail = readOne(value);
        if (trail.length > 0) return trail;
      }
      return [];
    },
  };
}
