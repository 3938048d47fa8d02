/** Bodies: as the schema of the route has them but for a field, or no such thing. */
import { nested } from '../../pools.ts';
import { mutated, withUnstorableText } from '../schema-values.ts';
import { flipped, type Mutation, withBody, withJson } from './mutation.ts';

export const bodyMutations: Readonly<Record<string, Mutation>> = {
  'body field': (sound, pools) => withJson(sound, mutated(sound.json, sound.route.body?.schema ?? {}, pools)),
  'body fields': (sound, pools) => {
    const schema = sound.route.body?.schema ?? {};
    return withJson(sound, mutated(mutated(sound.json, schema, pools), schema, pools));
  },
  'body unstorable text': (sound, pools) =>
    withJson(sound, withUnstorableText(sound.json, sound.route.body?.schema ?? {}, pools)),
  'body type': (sound, pools) => withJson(sound, pools.oddValue()),
  'body deep': (sound, pools) => {
    const levels = pools.pick([99, 101, 1_000, 20_000]);
    return withBody(sound, `${'['.repeat(levels)}${']'.repeat(levels)}`);
  },
  'body field deep': (sound, pools) => {
    const names = Object.keys(sound.route.body?.schema.properties ?? { a: {} });
    const value = { ...(sound.json as object), [pools.pick(names)]: nested(pools.pick([40, 98, 120, 1_000]), {}) };
    return withJson(sound, value);
  },
  'body broken': (sound, pools) =>
    withBody(sound, (sound.body ?? Buffer.from('{')).subarray(0, pools.below((sound.body?.length ?? 1) || 1))),
  'body bits': (sound, pools) => withBody(sound, flipped(sound.body ?? Buffer.from('{}'), pools)),
  'body empty': (sound) => withBody(sound, ''),
  'body bytes': (sound, pools) => withBody(sound, pools.bytes()),
  'body large': (sound, pools) => withBody(sound, Buffer.alloc(2 ** 20 + pools.pick([-1, 0, 1, 20_000, 2 ** 20]), '"')),
  'body order mark': (sound) =>
    withBody(sound, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), sound.body ?? Buffer.from('{}')])),
  'body UTF-16': (sound) => withBody(sound, Buffer.from(JSON.stringify(sound.json ?? {}), 'utf16le')),
  'body bad UTF-8': (sound) => withBody(sound, Buffer.from('{"name":"\xff\xfe","type":"\xc3("}', 'latin1')),
  'body prototype': (sound, pools) =>
    withBody(
      sound,
      pools.pick(['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '{"name":"a","__proto__":null}']),
    ),
  'body twice': (sound) => withBody(sound, `{"type":"a","type":"b",${JSON.stringify(sound.json ?? {}).slice(1)}`),
  'body number': (sound, pools) =>
    withBody(
      sound,
      JSON.stringify(sound.json ?? {}).replace(/\d+/, () => pools.pick(['1e400', '-0', '0.1e-999', '9'.repeat(5_000)])),
    ),
};
