/** Types that an audience may not see are not named to it, in no answer about another type. */
import type { Answer } from '../../unit/api/ask.ts';
import { openPortalWorld, type PortalWorld } from './portal-world.ts';

let world: PortalWorld;
let portal: (path: string) => Promise<Answer>;
const tenant = 'acme';
const asked = (path: string): Promise<Answer> => world.api.ask({ path, tenant });

async function send(method: string, path: string, body: object): Promise<void> {
  const answer = await world.api.ask({ method, path: `/v1/event-types/${path}`, body, tenant });
  expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
}

beforeAll(async () => {
  world = await openPortalWorld();
  const { code } = await world.createLink(tenant);
  const { token } = (await world.redeem(code)).json<{ token: string }>();
  portal = (path) => world.customers.ask({ path, headers: { authorization: `Bearer ${token}` } });

  await send('PUT', 'hush.next', { visibility: 'internal' });
  await send('PUT', 'shown.next', { visibility: 'public', description: 'as [[hush.next]]' });
  await send('PUT', 'shown.old', {
    visibility: 'public',
    description: 'Use [[hush.next]] or [[shown.next]]',
    notes: 'See [[hush.next]]',
    version_notes: 'Made from [[hush.next]]',
    schema: { type: 'object' },
    deprecation: { reason: 'old', successor: 'hush.next' },
  });
  // It was internal under its first name, and public under two more.
  await send('PUT', 'hush.first', { visibility: 'internal' });
  await send('POST', 'hush.first/rename', { to: 'shown.second' });
  await send('PATCH', 'shown.second', { visibility: 'public' });
  await send('POST', 'shown.second/rename', { to: 'shown.third' });
  await send('PUT', 'hush.merged', { visibility: 'internal' });
  await send('POST', 'hush.merged/merge', { into: 'shown.third', reason: 'it replaces [[hush.next]]' });
});
afterAll(() => world.close());

const views = [
  ...['/v1/event-types/shown.old', '/v1/event-types/shown.next', '/v1/event-types/shown.third', '/v1/event-types'],
  ...['/v1/event-types/shown.old/versions', '/v1/event-types/shown.old/versions/1'],
];

test.each(views)('nothing hidden is named to a customer at %s', async (path) => {
  const answer = await portal(path);
  expect([answer.status, answer.text.includes('hush')]).toEqual([200, false]);
  expect((await asked(path)).text).toMatch(/hush|shown.next/);
});

test.each([...views, '/v1/event-types/changes', '/v1/event-types/export'])(
  'nor to the public, for which the catalog asks, at %s',
  async (path) => {
    const answer = await asked(`${path}?visibility=public`);
    expect([answer.status, answer.text.includes('hush')]).toEqual([200, false]);
  },
);

test('the rest is as it was written', async () => {
  const shown = (await portal('/v1/event-types/shown.old')).json();
  expect(shown).toMatchObject({
    description: 'Use another event type or [[shown.next]]',
    notes: 'See another event type',
    deprecation: { reason: 'old', successor: null },
    links: { 'shown.next': { target: 'shown.next' } },
    newest: { notes: 'Made from another event type' },
  });
  expect((await asked('/v1/event-types/shown.old')).json()).toMatchObject({
    description: 'Use [[hush.next]] or [[shown.next]]',
    deprecation: { successor: 'hush.next' },
  });
});

test('a name leads to its type for those who could see it under that name', async () => {
  expect((await portal('/v1/event-types/shown.second')).status).toBe(301);
  for (const name of ['hush.first', 'hush.merged', 'hush.next', 'never.was'])
    for (const below of ['', '/versions', '/versions/1']) {
      const [hidden, none] = [
        await portal(`/v1/event-types/${name}${below}`),
        await portal(`/v1/event-types/none${below}`),
      ];
      expect([hidden.status, hidden.text]).toEqual([404, none.text]);
      expect((await asked(`/v1/event-types/${name}${below}?visibility=public`)).status).toBe(404);
    }
  expect((await asked('/v1/event-types/hush.first')).status).toBe(301);
  expect((await portal('/v1/event-types/shown.third')).json<{ aliases: { name: string }[] }>().aliases).toMatchObject([
    { name: 'shown.second', kind: 'renamed' },
  ]);
});

test('a search finds no type by what its texts hide', async () => {
  const found = async (ask: typeof portal, q: string) =>
    (await ask(`/v1/event-types?q=${q}`)).json<{ name: string }[]>().map(({ name }) => name);
  expect(await found(portal, 'hush')).toEqual([]);
  expect(await found(portal, 'Use')).toEqual(['shown.old']);
  expect(await found(asked, 'hush.next')).toEqual(['hush.next', 'shown.next', 'shown.old']);
});
