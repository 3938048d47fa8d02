import { seededRandom } from '../../support/seeded-random.ts';
import { consoleRoutes, idsThatNeverWere, needParameters } from '../../support/console/console-routes.ts';
import type { ConsoleClient, PageAnswer } from '../../support/console/console-client.ts';
import type { Scene } from './console-scene.ts';

const ofTenant = consoleRoutes.filter(({ isOfTenant }) => isOfTenant);
const withId = ofTenant.filter(({ kinds }) => kinds.length > 0);

/** An id that no resource has, in forms that none has either. */
const oddIds = [
  'x',
  'evt_',
  'EVT_01M84XK2V4Q9ND1M0E6E0KXV7T',
  '-1',
  '%00',
  '%2e%2e',
  '..%2f..',
  '%F0%9F%92%A9',
  'x'.repeat(300),
];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A filter that matches nothing, of each list that has filters. */
const filteredToNothing: Readonly<Record<string, string>> = {
  '/events': 'type=never.was',
  '/deliveries': 'event_type=never.was',
  '/endpoints': 'q=never-was',
  '/sources': 'q=never-was',
  '/dead-letters': 'event_type=never.was',
  '/audit': 'resource=never_was',
};

export function describeStatuses(scene: () => Scene): void {
  const expectProblem = (answer: PageAnswer, status: number, where: string): void => {
    expect([where, answer.status, answer.headers['content-type'], answer.headers['location']]).toEqual([
      ...[where, status, 'text/html; charset=utf-8'],
      undefined,
    ]);
    expect([where, answer.page.headings.length]).toEqual([where, 1]);
  };

  test('every page with an id is there for an id that is', async () => {
    const { me, mine } = scene();
    const missing: string[] = [];
    for (const { get, at } of withId) {
      if (get === undefined) continue;
      const { status, page } = await me.get(at(mine.name, mine.ids));
      if (status !== 200 || page.headings.length !== 1) missing.push(`${at(mine.name, mine.ids)} ${status}`);
    }
    // A fragment has no heading.
    expect(missing.filter((path) => !path.includes('/live/'))).toEqual([]);
    expect(withId.length).toBeGreaterThan(8);
  });

  test('an id that never was is a 404, of GET and HEAD, and does not lead elsewhere', async () => {
    const { me, mine } = scene();
    for (const { get, at } of withId) {
      if (get === undefined) continue;
      const path = at(mine.name, idsThatNeverWere());
      const got = await me.get(path);
      expectProblem(got, 404, path);
      const head = await me.head(path);
      expect([path, head.status, head.text]).toEqual([path, 404, '']);
      const length = ({ headers }: PageAnswer) => headers['content-length'];
      expect([path, length(head)]).toEqual([path, length(got)]);
    }
  });

  test('so is one of a form that none has', async () => {
    const { me, mine } = scene();
    for (const { get, at } of withId) {
      if (get === undefined) continue;
      for (const odd of oddIds) {
        const ids = Object.fromEntries(Object.keys(mine.ids).map((kind) => [kind, odd])) as unknown as typeof mine.ids;
        expectProblem(await me.get(at(mine.name, ids)), 404, at(mine.name, ids));
      }
    }
  });

  test('what was deleted is a 410, with all that is below it', async () => {
    const { me, mine } = scene();
    const ids = { ...mine.ids, ...mine.deleted };
    const gone = withId.filter(
      ({ kinds: [kind], get }) => get !== undefined && ['ep', 'src', 'key'].includes(kind ?? ''),
    );
    for (const { at } of gone) {
      const path = at(mine.name, ids);
      expectProblem(await me.get(path), 410, path);
      expect([path, (await me.head(path)).status]).toEqual([path, 410]);
    }
    const erased = `${mine.t}/events/${mine.erasedEvent}`;
    for (const below of ['', '/payload', '/replay']) expectProblem(await me.get(erased + below), 410, erased + below);
    expect((await me.head(erased)).status).toBe(410);
  });

  test('no route has a wildcard, and a random path is a 404, with and without a session', async () => {
    const { me, nobody, operator, mine } = scene();
    expect(consoleRoutes.filter(({ path }) => path.includes('*'))).toEqual([]);
    const random = seededRandom(25);
    const word = (): string => `q${Math.floor(random() * 1e9).toString(36)}`;
    for (let length = 1; length <= 5; length += 1)
      for (const start of ['', mine.t, '/events', `${mine.t}/events/${mine.ids.evt}`]) {
        const path = `${start}/${Array.from({ length }, word).join('/')}`;
        // One segment below the list of events is the page of an event, which only who is signed in is told about.
        for (const client of [me, operator, nobody]) expectProblem(await client.get(path), 404, path);
      }
    // A slash at the end is an id of nothing.
    for (const { path, at, kinds } of ofTenant)
      for (const client of [me, operator, nobody])
        if (kinds.length === 0) expectProblem(await client.get(`${at(mine.name, mine.ids)}/`), 404, `${path}/`);
    expectProblem(await me.get('/assets/0000000000000000/console.css'), 404, 'an old asset');
  });

  test('a method that a page does not have is a 405 that names those that it has', async () => {
    const { me, nobody, mine } = scene();
    for (const { get, post, at } of consoleRoutes) {
      const path = at(mine.name, mine.ids);
      const allowed = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])];
      for (const method of methods.filter((each) => !allowed.includes(each)))
        for (const client of [me, nobody]) {
          const answer = await client.send(method, path);
          expect([method, path, answer.status, answer.headers['allow']]).toEqual([
            method,
            path,
            405,
            allowed.join(', '),
          ]);
        }
    }
  });

  test('a list that its filter has emptied is a 404 with the filter as it was', async () => {
    const { me, mine } = scene();
    const lists = ofTenant.filter(({ path, get }) => get !== undefined && filteredToNothing[below(path)] !== undefined);
    expect(lists.length).toBeGreaterThan(1);
    for (const { path } of lists) {
      const filter = filteredToNothing[below(path)] ?? '';
      const answer = await me.get(`${mine.t}${below(path)}?${filter}`);
      expectProblem(answer, 404, path);
      const [[name = '', value] = []] = new URLSearchParams(filter);
      const form = answer.page.forms.find(({ method, action }) => method === 'GET' && action === mine.t + below(path));
      expect([path, form?.fields.get(name)]).toEqual([path, value]);
    }
  });

  test('a list in which there is nothing yet says how to begin', async () => {
    const { operator, empty } = scene();
    for (const { path, get, kinds } of ofTenant) {
      if (get === undefined || kinds.length > 0) continue;
      const answer = await operator.get(path.replace(':tenant', empty));
      const expected = needParameters[path] ?? 200;
      expect([path, answer.status, answer.page.headings.length]).toEqual([path, expected, 1]);
    }
  });

  test('a parameter that is not valid is a 400 with the form', async () => {
    const { me, mine } = scene();
    for (const path of Object.keys(filteredToNothing).filter((each) =>
      ofTenant.some((one) => below(one.path) === each),
    )) {
      expectProblem(await me.get(`${mine.t}${path}?limit=abc`), 400, path);
      expectProblem(await me.get(`${mine.t}${path}?no_such=1`), 400, path);
    }
    const answer = await me.get(`${mine.t}/events?received_since=yesterday`);
    expectProblem(answer, 400, 'received_since');
    const [form] = answer.page.forms.filter(({ action }) => action === `${mine.t}/events`);
    expect(form?.fields.get('received_since')).toBe('yesterday');
  });

  test('without a session every page is the form to sign in, at its own address', async () => {
    const { nobody, mine } = scene();
    for (const { page, get, at } of consoleRoutes) {
      if (get === undefined || page.access === 'public') continue;
      for (const ids of [mine.ids, idsThatNeverWere()]) {
        const path = `${at(mine.name, ids)}?q=1`;
        const answer = await nobody.get(path);
        expectProblem(answer, 401, path);
        const form = answer.page.forms.find(({ action }) => action === '/session');
        expect([path, form?.fields.get('to')]).toEqual([path, path]);
      }
    }
  });

  test('problems do not lead away by themselves', async () => {
    const { me, nobody, mine } = scene();
    const seen: [ConsoleClient, string][] = [
      [me, '/nowhere'],
      [me, `${mine.t}/events/${idsThatNeverWere().evt}`],
      [me, `${mine.t}/endpoints/${mine.deleted.ep}`],
      [nobody, mine.t],
    ];
    for (const [client, path] of seen) {
      const { text, headers } = await client.get(path);
      expect(text).not.toMatch(/http-equiv/i);
      expect(headers).not.toHaveProperty('refresh');
    }
  });
}

const below = (path: string): string => path.replace('/t/:tenant', '');
