import { consoleRoutes, idsThatNeverWere } from '../../support/console/console-routes.ts';
import type { PageAnswer } from '../../support/console/console-client.ts';
import type { Scene } from './console-scene.ts';

const withId = consoleRoutes.filter(({ isOfTenant, kinds }) => isOfTenant && kinds.length > 0);

/** All of an answer, but for what was asked for, when, and keys of forms that were made for it. */
function told({ status, headers, text }: PageAnswer, path: string): unknown {
  const others = { ...headers, date: '', 'x-request-id': '', 'content-length': '' };
  const same = text
    .replaceAll(path.replaceAll('&', '&amp;'), '')
    .replaceAll(/name="idempotency_key" value="[^"]*"/g, '')
    .replaceAll(/req_[0-9a-z]{26}/g, '');
  return { status, headers: others, text: same };
}

export function describeBorder(scene: () => Scene): void {
  test('another tenant’s page is byte for byte that of an id that never was', async () => {
    const { me, mine, theirs } = scene();
    for (const { get, at } of withId) {
      if (get === undefined) continue;
      const [foreign, never] = [at(mine.name, theirs.ids), at(mine.name, idsThatNeverWere())];
      // The number of an attempt is no id: it is below one that is not there.
      expect({ foreign, told: told(await me.get(foreign), foreign) }).toEqual({
        foreign,
        told: told(await me.get(never), never),
      });
    }
  });

  test('so is the address of another tenant, which is as that of one that never was', async () => {
    const { me, theirs } = scene();
    for (const { get, isOfTenant, at } of consoleRoutes) {
      if (get === undefined || !isOfTenant) continue;
      const [foreign, never] = [at(theirs.name, theirs.ids), at('never-was', theirs.ids)];
      const answer = await me.get(foreign);
      expect({ foreign, status: answer.status }).toEqual({ foreign, status: 404 });
      expect({ foreign, told: told(answer, foreign) }).toEqual({ foreign, told: told(await me.get(never), never) });
    }
  });

  test('a form for another’s resource is answered as for one that never was, and does nothing', async () => {
    const { me, mine, theirs } = scene();
    const before = await stateOf(theirs.api);
    for (const { post, at } of withId) {
      if (post === undefined) continue;
      const [foreign, never] = [at(mine.name, theirs.ids), at(mine.name, idsThatNeverWere())];
      const answer = await me.post(foreign, {});
      expect({ foreign, told: told(answer, foreign) }).toEqual({
        foreign,
        told: told(await me.post(never, {}), never),
      });
      expect([foreign, answer.status >= 400]).toEqual([foreign, true]);
      expect([foreign, (await me.post(at(theirs.name, theirs.ids), {})).status]).toEqual([foreign, 404]);
    }
    expect(await stateOf(theirs.api)).toEqual(before);
  });

  test('the tenant is that of the path alone', async () => {
    const { me, operator, mine, theirs } = scene();
    for (const path of [`${mine.t}/endpoints?tenant=theirs`, `${mine.t}/endpoints?hookline_tenant=theirs`])
      expect((await operator.get(path)).status).toBe(400);
    const answer = await me.get(`${mine.t}/endpoints`, { 'hookline-tenant': theirs.name });
    expect(answer.text).not.toContain(theirs.ids.ep);
    expect(answer.text).toContain(mine.ids.ep);
    const asOperator = await operator.get(`${mine.t}/endpoints`, { 'hookline-tenant': theirs.name });
    expect(asOperator.text).toContain(mine.ids.ep);
    expect(asOperator.text).not.toContain(theirs.ids.ep);
  });

  test('no list, search or comparison of a tenant has anything of another’s', async () => {
    const { me, mine, theirs } = scene();
    const others = Object.entries(theirs.ids).filter(([kind]) => kind !== 'number');
    for (const { get, isOfTenant, kinds, at } of consoleRoutes) {
      if (get === undefined || !isOfTenant || kinds.length > 0) continue;
      const { text } = await me.get(at(mine.name, mine.ids));
      for (const [, id] of others)
        expect([at(mine.name, mine.ids), text.includes(id)]).toEqual([at(mine.name, mine.ids), false]);
    }
    for (const [, id] of others) {
      const answer = await me.get(`${mine.t}/jump?q=${id}`);
      expect([id, answer.status]).toEqual([id, 404]);
    }
    const compared = await me.get(`${mine.t}/compare?a=${mine.ids.evt}&b=${theirs.ids.evt}`);
    expect(compared.status).toBe(404);
  });
}

/** All that a form could change. The dispatcher sets `failing_since` on its own, when an endpoint has refused for a while. */
async function stateOf(api: Scene['theirs']['api']): Promise<unknown> {
  const paths = ['/endpoints', '/sources', '/api-keys', '/replays', '/events', '/dead-letters', '/deliveries'];
  const lists = await Promise.all(paths.map((path) => api.list(path)));
  return lists.map((items) => items.map((item) => ({ ...item, failing_since: undefined })));
}
