/** Queries that the route does not have, or not so. */
import { flipped, type Mutation, withQuery } from './mutation.ts';

export const queryMutations: Readonly<Record<string, Mutation>> = {
  'query unknown': (sound, pools) => withQuery(sound, `${encodeURIComponent(pools.text().toWellFormed())}=1`),
  'query repeated': (sound, pools) => {
    const name = pools.pick([...sound.route.query, 'limit']);
    return withQuery(sound, `${name}=1&${name}=2`);
  },
  'query huge': (sound, pools) => withQuery(sound, `${pools.pick([...sound.route.query, 'a'])}=${'9'.repeat(12_000)}`),
  'query NUL': (sound, pools) => withQuery(sound, `${pools.pick([...sound.route.query, 'a'])}=%00`),
  'query bad UTF-8': (sound, pools) => withQuery(sound, `${pools.pick([...sound.route.query, 'a'])}=%ff%c3%28`),
  'query prototype': (sound, pools) =>
    withQuery(sound, pools.pick(['__proto__=1', '__proto__[a]=1', 'constructor.prototype.a=1', 'toString=1'])),
  'query brackets': (sound, pools) => withQuery(sound, `${pools.pick([...sound.route.query, 'a'])}[b][]=1`),
  'query value': (sound, pools) => {
    const name = pools.pick([...sound.route.query, 'limit']);
    // A wait that is one would be waited for.
    const value = name === 'wait' ? pools.pick(['-1', '61', '0', 'x', '1e1', '٣']) : pools.text().toWellFormed();
    return withQuery(sound, `${name}=${encodeURIComponent(value)}`);
  },
  'query number': (sound, pools) =>
    withQuery(sound, `limit=${pools.pick(['0', '-1', '1', '1001', '1e3', '0x10', '9007199254740993', '١٠', ''])}`),
  'query time': (sound, pools) => {
    const time = pools.pick(['0000-01-01T00:00:00Z', '9999-12-31T23:59:60Z', '2026-11-22', 'now', '-infinity', '1e9']);
    return withQuery(sound, `${pools.pick(['updated_at_gte', 'since', 'until'])}=${time}`);
  },
  'query cursor': (sound, pools) => {
    const given = sound.cursor ?? 'AAAAAAAAAAAAAAAAAAAAAA';
    const forged = [
      flipped(Buffer.from(given), pools).toString('latin1'),
      given.slice(0, -2),
      `${given}A`,
      pools.text(),
    ];
    return withQuery(sound, `cursor=${encodeURIComponent(pools.pick(forged).toWellFormed())}`);
  },
};
