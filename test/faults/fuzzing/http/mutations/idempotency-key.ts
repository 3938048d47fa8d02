/** Idempotency keys. */
import { mutated } from '../schema-values.ts';
import { type Mutation, withBoth, withHeaders, withJson } from './mutation.ts';

export const keyMutations: Readonly<Record<string, Mutation>> = {
  'key odd': (sound, pools) =>
    withHeaders(sound, [
      'idempotency-key',
      pools.pick([
        '',
        ' ',
        '"',
        '"a',
        '"\\x"',
        'a'.repeat(255),
        'a'.repeat(256),
        'é\xff',
        'a\tb',
        'a\x7f',
        ':a:',
        '1;a=1',
      ]),
    ]),
  'key two': (sound) => withBoth(sound, ['idempotency-key', 'a'], ['x-idempotency-key', 'b']),
  'key twice': (sound) => withBoth(sound, ['idempotency-key', 'a'], ['idempotency-key', '"a"']),
  'key of another': (sound, pools) =>
    withHeaders(withJson(sound, mutated(sound.json, {}, pools)), ['idempotency-key', 'the-same']),
  key: (sound, pools) => withHeaders(sound, ['idempotency-key', `k-${pools.random()}`]),
};
