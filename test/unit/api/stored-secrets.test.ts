import fc from 'fast-check';
import type { StoredSecret } from '#lib/contract';
import { formatMicros, parseRfc3339 } from '#lib/runtime';
import {
  currentSecret,
  newSecret,
  publicKeysOf,
  rotateSecrets,
  switchEd25519,
} from '../../../services/api/resources/stored-secrets.ts';

const nowMicros = Date.UTC(2026, 0, 1) * 1000;
const at = (seconds: number): string => formatMicros(nowMicros + seconds * 1_000_000);
const rotate = (stored: StoredSecret[], overlapSeconds: number, secret = 'new') =>
  rotateSecrets(stored, { to: { secret }, nowMicros, overlapSeconds });

describe('a rotation', () => {
  test('leaves the old secret valid until the overlap has passed', () => {
    expect(rotate([{ secret: 'old' }], 60)).toEqual({
      secrets: [{ secret: 'new' }, { secret: 'old', expires_at: at(60) }],
      previousExpiresAt: at(60),
    });
  });

  test('drops what has expired, and keeps an earlier end', () => {
    const stored = [
      { secret: 'b' },
      { secret: 'a', expires_at: at(30) },
      { secret: 'gone', expires_at: at(0) },
      { secret: 'long gone', expires_at: at(-1) },
    ];
    expect(rotate(stored, 60).secrets).toEqual([
      { secret: 'new' },
      { secret: 'b', expires_at: at(60) },
      { secret: 'a', expires_at: at(30) },
    ]);
  });

  test('without an overlap ends every other secret, those of earlier rotations too', () => {
    const stored = [{ secret: 'b' }, { secret: 'a', expires_at: at(3600) }];
    expect(rotate(stored, 0)).toEqual({ secrets: [{ secret: 'new' }], previousExpiresAt: null });
  });

  test('to the secret that is there already changes nothing of it: a client may repeat its request', () => {
    expect(rotate([{ secret: 'new' }, { secret: 'old', expires_at: at(30) }], 60)).toEqual({
      secrets: [{ secret: 'new' }, { secret: 'old', expires_at: at(30) }],
      previousExpiresAt: at(30),
    });
  });

  test('leaves each secret its private key, and so a repetition of the rotation', () => {
    const stored = [
      { secret: 'old', private_key: 'whsk_old' },
      { secret: 'older', expires_at: at(30) },
    ];
    const to = { secret: 'new', private_key: 'whsk_new' };
    const { secrets } = rotateSecrets(stored, { to, nowMicros, overlapSeconds: 60 });
    expect(secrets).toEqual([
      to,
      { secret: 'old', private_key: 'whsk_old', expires_at: at(60) },
      { secret: 'older', expires_at: at(30) },
    ]);
    const again = { secret: 'new', private_key: 'whsk_newer' };
    expect(rotateSecrets(secrets, { to: again, nowMicros, overlapSeconds: 60 }).secrets).toEqual(secrets);
  });

  test('has one current secret, the new one, and never makes another live longer', () => {
    const stored = fc.array(
      fc.record({ secret: fc.string({ minLength: 1 }), expires_at: fc.integer({ min: -100, max: 100 }).map(at) }),
    );
    fc.assert(
      fc.property(stored, fc.string({ minLength: 1 }), fc.integer({ min: 0, max: 200 }), (old, secret, overlap) => {
        const { secrets } = rotate(old, overlap, secret);
        expect(currentSecret(secrets)).toBe(secret);
        expect(secrets.filter(({ expires_at }) => expires_at === undefined)).toHaveLength(1);
        for (const kept of secrets.slice(1)) {
          const endMicros = parseRfc3339(kept.expires_at ?? '') ?? NaN;
          expect(endMicros).toBeGreaterThan(nowMicros);
          expect(endMicros).toBeLessThanOrEqual(nowMicros + overlap * 1_000_000);
          expect(
            old.some((one) => one.secret === kept.secret && (parseRfc3339(one.expires_at) ?? 0) >= endMicros),
          ).toBe(true);
        }
      }),
    );
  });
});

describe('a pair of keys', () => {
  const random = (size: number): Buffer => Buffer.alloc(size, 1);
  const pair = newSecret('new', true, random);

  test('goes with a new secret where that is asked for', () => {
    expect(pair).toEqual({ secret: 'new', private_key: expect.stringMatching(/^whsk_/) as string });
    expect(newSecret('new', false, random)).toEqual({ secret: 'new' });
  });

  test('is made for the current secret alone when it is switched on, once', () => {
    const stored = [{ secret: 'new' }, { secret: 'old', expires_at: at(30) }];
    const on = switchEd25519(stored, true, random);
    expect(on).toEqual([pair, { secret: 'old', expires_at: at(30) }]);
    expect(switchEd25519(on, true, () => Buffer.alloc(32, 2))).toEqual(on);
  });

  test('is there no more when it is switched off', () => {
    const stored = [pair, { ...pair, secret: 'old', expires_at: at(30) }];
    expect(switchEd25519(stored, false, random)).toEqual([{ secret: 'new' }, { secret: 'old', expires_at: at(30) }]);
  });

  test('is shown by its public key, and until when that is one', () => {
    const stored = [pair, { ...pair, secret: 'old', expires_at: at(30) }, { secret: 'older', expires_at: at(1) }];
    const key = expect.stringMatching(/^whpk_/) as string;
    expect(publicKeysOf(stored)).toEqual([{ key }, { key, expires_at: at(30) }]);
  });
});
