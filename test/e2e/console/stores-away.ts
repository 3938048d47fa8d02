import { waitUntil } from '../../support/wait-until.ts';
import { consoleRoutes, idsThatNeverWere, needParameters } from '../../support/console/console-routes.ts';
import type { Scene } from './console-scene.ts';

/** These ask nothing but who is signed in. */
const askNothing = [
  '/',
  '/session/code',
  '/t/:tenant/endpoints/new',
  '/t/:tenant/keys/new',
  '/t/:tenant/sources/new',
  '/t/:tenant/events/new',
  '/t/:tenant/replays/new',
  '/t/:tenant/compare',
];

/** The last tests of a file: what they do to Postgres, others would notice. */
export function describeStoresAway(scene: () => Scene): void {
  test('while Postgres is away every page is a 503 that says when to come back, and none a 404', async () => {
    const { world, me, mine } = scene();
    await world.postgresLink.set({ kind: 'refuses' });
    try {
      for (const { get, at, path, isOfTenant } of consoleRoutes) {
        if (get === undefined || !isOfTenant || askNothing.includes(path) || needParameters[path] !== undefined)
          continue;
        for (const ids of [mine.ids, idsThatNeverWere()]) {
          const answer = await me.get(at(mine.name, ids));
          expect([path, answer.status, answer.page.headings.length]).toEqual([path, 503, 1]);
          expect([path, Number(answer.headers['retry-after']) > 0]).toEqual([path, true]);
        }
      }
      // A path without a page can be told without Postgres.
      expect((await me.get('/nowhere')).status).toBe(404);
      expect((await me.get('/t/never-was')).status).toBe(404);
    } finally {
      await world.postgresLink.set(undefined);
    }
  });

  test('once it is back, what is there is a 200 and what is not a 404, within ten seconds', async () => {
    const { me, mine } = scene();
    await waitUntil(
      'the event is shown',
      async () => (await me.get(`${mine.t}/events/${mine.ids.evt}`)).status === 200,
      {
        timeoutMs: 30_000,
      },
    );
    expect((await me.get(`${mine.t}/events/${idsThatNeverWere().evt}`)).status).toBe(404);
  });

  test('while the API is away every page is a 503, and the console stays ready', async () => {
    const { world, me, mine } = scene();
    await world.pipeline.stopService('api');
    try {
      for (const path of [mine.t, `${mine.t}/events/${mine.ids.evt}`, `${mine.t}/events/${idsThatNeverWere().evt}`]) {
        const answer = await me.get(path);
        expect([path, answer.status, answer.headers['retry-after']]).toEqual([path, 503, '5']);
      }
      expect((await me.get('/nowhere')).status).toBe(404);
      const ready = world.pipeline.metricsUrl('console').replace('/metrics', '/readyz');
      expect((await fetch(ready)).status).toBe(200);
    } finally {
      await world.pipeline.startService('api');
    }
    await waitUntil('pages are there again', async () => (await me.get(mine.t)).status === 200);
  });

  test('what is gone stays gone, and sessions go on, after all services were restarted', async () => {
    const { world, me, mine } = scene();
    for (const name of ['api', 'projector', 'console'] as const) await world.pipeline.restartService(name);
    const ids = { ...mine.ids, ...mine.deleted };
    const gone = consoleRoutes.filter(
      ({ get, isOfTenant, kinds: [kind] }) =>
        isOfTenant && get !== undefined && ['ep', 'src', 'key'].includes(kind ?? ''),
    );
    for (const { at } of gone)
      expect([at(mine.name, ids), (await me.get(at(mine.name, ids))).status]).toEqual([at(mine.name, ids), 410]);
    expect((await me.get(`${mine.t}/events/${mine.ids.evt}`)).status).toBe(200);
  });
}
