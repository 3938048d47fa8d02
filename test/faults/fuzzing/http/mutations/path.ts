/** Another path than the route has. */
import { type Mutation, withId, withoutEnds } from './mutation.ts';

export const pathMutations: Readonly<Record<string, Mutation>> = {
  'path text': withId((pools) => encodeURIComponent(pools.text().toWellFormed())),
  'path bytes': withId((pools) => withoutEnds(pools.text()).replace(/[ /?#]/g, '_')),
  'path NUL': withId((_pools, id) => `${id}%00`),
  'path bad percent': withId(
    (pools, id) => `${id}${pools.pick(['%', '%zz', '%c3%28', '%ed%a0%80', '%f8%88%80%80%80'])}`,
  ),
  'path long': withId((pools) => 'a'.repeat(pools.pick([300, 8_000, 16_000, 17_000, 80_000]))),
  'path prototype': withId((pools) => pools.pick(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])),
  'path dots': withId((pools) => pools.pick(['..', '../..', '%2e%2e%2f%2e%2e', '.', '//', ';a=b'])),
  'path nobody': withId((_pools, id) => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`),
  'path other kind': withId((pools, id) =>
    id.replace(/^[a-z]+/, pools.pick(['src', 'ep', 'evt', 'dlv', 'dl', 'rpl', 'key'])),
  ),
  'path absolute': (sound) => ({ ...sound, target: `http://other.invalid${sound.target}` }),
};
